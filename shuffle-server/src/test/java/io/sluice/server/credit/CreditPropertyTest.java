package io.sluice.server.credit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

class CreditPropertyTest {
  @Property(tries = 200, shrinking = ShrinkingMode.OFF)
  void promisesNoMoreThanTheArenaAndLosesNothing(@ForAll long seed) {
    CreditSimulation sim = new CreditSimulation(seed);
    for (int i = 0; i < 800; i++) {
      sim.act();
      for (int run = 0; run < 3 && sim.world.step(); run++) {
        sim.check();
      }
      sim.check();
    }
    // Once memory frees, everyone who waits is granted.
    sim.world.settle();
    sim.freeAll();
    sim.world.settle();
    while (sim.broker.wants() > 0) {
      long before = sim.broker.wants();
      sim.holders.forEach(holder -> holder.giveBack(Long.MAX_VALUE));
      sim.world.settle();
      assertThat((long) sim.broker.wants()).isLessThan(before);
    }
    assertThat(sim.holders).allMatch(holder -> holder.waiting == 0 && holder.refusals == 0);
    List.copyOf(sim.holders).forEach(CreditSimulation.Holder::close);
    sim.world.settle();
    assertThat(sim.arena.chunkBytes()).isZero();
    assertThat(sim.budget.free())
        .isEqualTo(CreditSimulation.CAPACITY - CreditSimulation.LIMITS.reserveBytes());
  }
}
