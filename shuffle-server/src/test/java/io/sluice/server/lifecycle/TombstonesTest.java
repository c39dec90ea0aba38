package io.sluice.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import org.junit.jupiter.api.Test;

class TombstonesTest {
  private final Tombstones tombstones = new Tombstones();

  private static ShuffleKey shuffle(long application, int id, int generation) {
    return new ShuffleKey(ApplicationId.of(0, application), id, generation);
  }

  @Test
  void remembersShufflesByGeneration() {
    tombstones.add(shuffle(1, 5, 0));
    assertThat(tombstones.contains(shuffle(1, 5, 0))).isTrue();
    assertThat(tombstones.contains(shuffle(1, 5, 1))).isFalse();
    assertThat(tombstones.contains(shuffle(2, 5, 0))).isFalse();
  }

  @Test
  void coversEverythingOfARemovedApplication() {
    tombstones.add(shuffle(1, 5, 0));
    tombstones.add(ApplicationId.of(0, 1));
    tombstones.add(shuffle(1, 6, 0));
    assertThat(tombstones.contains(shuffle(1, 7, 3))).isTrue();
    tombstones.remove(ApplicationId.of(0, 1));
    assertThat(tombstones.contains(shuffle(1, 7, 3))).as("once it is back").isFalse();
  }

  @Test
  void forgetsTheOldestFirst() {
    for (int i = 0; i <= Tombstones.MAX_APPLICATIONS; i++) {
      tombstones.add(ApplicationId.of(0, i));
      tombstones.add(shuffle(-1, i, 0));
    }
    assertThat(tombstones.contains(shuffle(0, 0, 0))).isFalse();
    assertThat(tombstones.contains(shuffle(1, 0, 0))).isTrue();
    assertThat(tombstones.contains(shuffle(-1, 0, 0))).isFalse();
    assertThat(tombstones.contains(shuffle(-1, 1, 0))).isTrue();
  }
}
