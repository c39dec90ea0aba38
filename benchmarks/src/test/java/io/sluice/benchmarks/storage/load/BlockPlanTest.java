package io.sluice.benchmarks.storage.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.transport.TransportLimits;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BlockPlanTest {
  private static final long MIB = 1 << 20;

  @Test
  void dividesAMapsOutputAmongPartitions() {
    BlockPlan plan = BlockPlan.of(1, 1, 2_000, 4096 * MIB, 32 * MIB);

    assertThat(plan.blocksPerPartition()).isEqualTo(1);
    assertThat(plan.blockBytes()).isEqualTo((int) (32 * MIB / 2_000) - BlockHeader.LENGTH);
    assertThat(plan.maps()).isEqualTo(128);
  }

  @Test
  void aShuffleHasSeveralMaps() {
    BlockPlan plan = BlockPlan.of(1, 100, 200, 1024 * MIB, 32 * MIB);

    assertThat(plan.maps()).isGreaterThanOrEqualTo(400);
  }

  @Property(tries = 200)
  void blocksSumUpToWhatWasAsked(
      @ForAll @IntRange(min = 1, max = 2_000) int partitions,
      @ForAll @IntRange(min = 1, max = 20) int shuffles) {
    BlockPlan plan = BlockPlan.of(1, shuffles, partitions, 256 * MIB, 8 * MIB);
    long bytes = 0;
    for (int map = 0; map < plan.maps(); map++) {
      for (int partition = 0; partition < partitions; partition++) {
        for (int sequence = 0; sequence < plan.blocksPerPartition(); sequence++) {
          int length = plan.length(map, partition, sequence);
          assertThat(length + BlockHeader.LENGTH).isBetween(BlockHeader.LENGTH, plan.longest());
          bytes += BlockHeader.LENGTH + length;
        }
      }
    }

    assertThat(plan.longest()).isLessThanOrEqualTo(TransportLimits.RECEIVE_BUFFER_BYTES);
    // Lengths are drawn, and maps are whole.
    assertThat((double) bytes / (256 * MIB)).isBetween(0.8, 1.2);
  }
}
