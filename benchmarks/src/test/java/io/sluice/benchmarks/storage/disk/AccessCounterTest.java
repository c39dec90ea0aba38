package io.sluice.benchmarks.storage.disk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AccessCounterTest {
  private final AccessCounter counter = new AccessCounter();

  @Test
  void goingOnWhereOneStoppedIsNoSeek() {
    counter.wrote("a", 0, 10);
    counter.wrote("a", 10, 10);
    counter.read("a", 20, 5);
    assertThat(counter.counts()).isEqualTo(new AccessCounts(2, 20, 1, 5, 1));
  }

  @Test
  void anotherFileAnotherPlaceIsASeek() {
    counter.wrote("a", 0, 10);
    counter.wrote("b", 10, 10);
    counter.read("b", 0, 10);
    assertThat(counter.counts().seeks()).isEqualTo(3);
  }

  @Test
  void countsAddUp() {
    AccessCounts one = new AccessCounts(1, 2, 3, 4, 5);
    assertThat(one.plus(one).since(one)).isEqualTo(one);
  }
}
