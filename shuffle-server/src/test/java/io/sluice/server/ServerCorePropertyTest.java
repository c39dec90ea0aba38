package io.sluice.server;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;

class ServerCorePropertyTest {
  @Property(tries = 150, shrinking = ShrinkingMode.OFF)
  void returnsEveryAckedBlockOnceAndLosesNoMemory(
      @ForAll long seed, @ForAll @IntRange(min = 0, max = 2) int disks) {
    RandomWorkload workload = new RandomWorkload(seed, disks);
    workload.run(1500);
    workload.finish();
  }
}
