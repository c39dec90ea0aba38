package io.sluice.benchmarks.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChosenTurnsTest {
  private static final Moved MOVED = new Moved(1, 1, 1, 1, new Usage(1, 1, 1));

  @Test
  void turnsWithoutASharedCacheAreLeftOutForOthers() {
    List<WireFigures> all = turns(300, 55, 60, 290);
    assertThat(ChosenTurns.areEnough(all, 2)).isTrue();
    assertThat(ChosenTurns.of(all, 2)).isEqualTo(new ChosenTurns(turns(55, 60), 2));
  }

  @Test
  void allCountIfTooFewHadASharedCache() {
    List<WireFigures> all = turns(300, 55, 60, 290);
    assertThat(ChosenTurns.areEnough(all, 3)).isFalse();
    assertThat(ChosenTurns.of(all, 3)).isEqualTo(new ChosenTurns(all, 0));
  }

  @Test
  void oneProcessorNeedsNoSharedCache() {
    assertThat(ChosenTurns.of(turns(0, 0), 2)).isEqualTo(new ChosenTurns(turns(0, 0), 0));
  }

  private static List<WireFigures> turns(double... lineNanos) {
    return Arrays.stream(lineNanos)
        .mapToObj(nanos -> new WireFigures(MOVED, new Usage(1, 1, 1), nanos))
        .toList();
  }
}
