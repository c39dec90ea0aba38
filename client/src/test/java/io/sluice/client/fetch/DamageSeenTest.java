package io.sluice.client.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;

class DamageSeenTest {
  private final DamageSeen seen = new DamageSeen(run(4));

  private static Run run(int partitions) {
    BitSet all = new BitSet();
    all.set(0, partitions);
    return Run.of(all, all).get(0);
  }

  private void meetAt(int position) {
    seen.met("damaged");
    seen.at(position);
  }

  @Test
  void isWorthNoOtherLookIfItMetNoDamage() {
    meetAt(1);
    assertThat(seen.isWorthAnotherLook()).isTrue();
    seen.gotSomethingNew();
    assertThat(seen.isWorthAnotherLook()).isFalse();
    assertThat(seen.last()).isEqualTo("damaged");
  }

  @Test
  void isWorthASecondLookAndNoThirdThatGetsNoFurther() {
    meetAt(1);
    assertThat(seen.isWorthAnotherLook()).isTrue();
    meetAt(1);
    assertThat(seen.isWorthAnotherLook()).isFalse();
  }

  @Test
  void isWorthALookForEachNewBlock() {
    for (int i = 0; i < 10; i++) {
      seen.gotSomethingNew();
      meetAt(1);
      assertThat(seen.isWorthAnotherLook()).isTrue();
    }
    meetAt(1);
    assertThat(seen.isWorthAnotherLook()).isFalse();
  }

  @Test
  void isWorthNoMoreLooksThanThereArePartitionsIfNothingNewComes() {
    int looks = 0;
    for (int i = 0; i < 100; i++) {
      meetAt(i % 4);
      looks += seen.isWorthAnotherLook() ? 1 : 0;
    }
    assertThat(looks).isEqualTo(4);
  }

  @Test
  void countsNoPartitionThatWasNotAskedFor() {
    meetAt(-1);
    assertThat(seen.isWorthAnotherLook()).isTrue();
    for (int position : new int[] {4, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      meetAt(position);
      assertThat(seen.isWorthAnotherLook()).isFalse();
    }
  }
}
