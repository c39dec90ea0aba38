package io.sluice.server.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import org.junit.jupiter.api.Test;

class PartitionSplitsTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 2), 3, 0);
  private static final ShuffleKey OTHER = new ShuffleKey(ApplicationId.of(1, 2), 4, 0);

  private final PartitionSplits splits = new PartitionSplits(1000);

  @Test
  void saysNothingWhileThereIsRoom() {
    assertThat(splits.isDue(SHUFFLE, 0, 999)).isFalse();
  }

  @Test
  void refusesOneBlockForEachStep() {
    assertThat(splits.isDue(SHUFFLE, 0, 1000)).isTrue();
    assertThat(splits.isDue(SHUFFLE, 0, 1000)).as("it came back").isFalse();
    assertThat(splits.isDue(SHUFFLE, 0, 1999)).isFalse();
    assertThat(splits.isDue(SHUFFLE, 0, 2001)).isTrue();
    assertThat(splits.isDue(SHUFFLE, 0, 2002)).isFalse();
  }

  @Test
  void keepsPartitionsAndShufflesApart() {
    assertThat(splits.isDue(SHUFFLE, 0, 1000)).isTrue();
    assertThat(splits.isDue(SHUFFLE, 1, 1000)).isTrue();
    assertThat(splits.isDue(OTHER, 0, 1000)).isTrue();
  }

  @Test
  void remembersABoundedNumber() {
    for (int partition = 0; partition < 5000; partition++) {
      assertThat(splits.isDue(SHUFFLE, partition, 1000)).isTrue();
    }
    assertThat(splits.isDue(SHUFFLE, 4999, 1000)).isFalse();
    assertThat(splits.isDue(SHUFFLE, 0, 1000)).as("forgotten").isTrue();
  }
}
