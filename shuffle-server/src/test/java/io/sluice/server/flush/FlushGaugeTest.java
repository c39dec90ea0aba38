package io.sluice.server.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryShortage;
import org.junit.jupiter.api.Test;

/** What a drain sees while bytes go from one side of its look to the other. */
class FlushGaugeTest {
  private static final int MIB = 1 << 20;
  private static final long UNIT = 1000;

  private final FlushGauge gauge =
      new FlushGauge(
          FlushLimits.ofArena(MIB, 0.5, MIB / 4, 1_000_000_000),
          new ChunkArena(new MemoryBudget(MIB)),
          new Ample());

  private long claimable;

  private boolean nothingUnsaved() {
    return gauge.nothingUnsaved(() -> claimable);
  }

  @Test
  void whatIsLeavingIsUnsavedUntilItHasLanded() {
    claimable = UNIT;
    assertThat(nothingUnsaved()).isFalse();
    gauge.leaving(UNIT);
    claimable = 0;
    assertThat(nothingUnsaved()).isFalse();
    gauge.leaving(-UNIT);
    assertThat(nothingUnsaved()).isTrue();
  }

  /** A write fails between the look at what is claimable and the one at what is leaving. */
  @Test
  void whatComesBackMeanwhileIsUnsaved() {
    gauge.leaving(UNIT);
    boolean saved =
        gauge.nothingUnsaved(
            () -> {
              long seen = claimable;
              claimable = UNIT;
              gauge.leaving(-UNIT);
              return seen;
            });
    assertThat(saved).isFalse();
    assertThat(nothingUnsaved()).isFalse();
  }

  /** A whole flush, which succeeds: nobody knows that, so it is looked at again. */
  @Test
  void whatLandsMeanwhileIsSavedAtTheNextLook() {
    boolean saved =
        gauge.nothingUnsaved(
            () -> {
              gauge.leaving(UNIT);
              gauge.leaving(-UNIT);
              return 0;
            });
    assertThat(saved).isFalse();
    assertThat(nothingUnsaved()).isTrue();
  }

  private static final class Ample implements MemoryShortage {
    @Override
    public boolean waiting() {
      return false;
    }

    @Override
    public boolean starving() {
      return false;
    }
  }
}
