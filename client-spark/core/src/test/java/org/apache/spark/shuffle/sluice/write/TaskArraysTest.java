package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TaskArraysTest {
  private static final int LENGTH = 1 << 16;

  private final TaskArrays arrays = new TaskArrays(2, 0);

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
  void keepsAsManyBytesWhereThatIsMore() {
    TaskArrays more = new TaskArrays(1, 3 * LENGTH * Long.BYTES);
    List<long[]> held = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      held.add(more.take(LENGTH));
    }
    held.forEach(more::giveBack);
    for (int i = 3; i > 0; i--) {
      assertThat(more.take(LENGTH)).isSameAs(held.get(i));
    }
    assertThat(more.take(LENGTH)).isNotSameAs(held.get(0));
  }

  @Test
  void lengthsOfSingleRecordsAreMadeAnew() {
    long[] odd = arrays.take(LENGTH + 1);
    arrays.giveBack(odd);
    assertThat(arrays.take(LENGTH + 1)).isNotSameAs(odd).hasSize(LENGTH + 1);
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
