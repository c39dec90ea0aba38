package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EntryArraysTest {
  private static final int LENGTH = 1 << 16;

  private final EntryArrays arrays = new EntryArrays(2);

  @Test
  void whatIsGivenBackIsLentAgain() {
    long[] first = arrays.take(LENGTH);
    long[] second = arrays.take(LENGTH);
    assertThat(second).isNotSameAs(first);
    arrays.giveBack(first);
    assertThat(arrays.take(2 * LENGTH)).hasSize(2 * LENGTH);
    assertThat(arrays.take(LENGTH)).isSameAs(first);
    assertThat(arrays.take(LENGTH)).isNotSameAs(first).hasSize(LENGTH);
  }

  @Test
  void shortOnesAreMadeAnew() {
    long[] small = arrays.take(4096);
    arrays.giveBack(small);
    assertThat(arrays.take(4096)).isNotSameAs(small).hasSize(4096);
  }

  @Test
  void keepsNoMoreThanItMay() {
    List<long[]> held = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      held.add(arrays.take(LENGTH));
    }
    held.forEach(arrays::giveBack);
    assertThat(arrays.take(LENGTH)).isSameAs(held.get(2));
    assertThat(arrays.take(LENGTH)).isSameAs(held.get(1));
    assertThat(arrays.take(LENGTH)).isNotSameAs(held.get(0));
  }
}
