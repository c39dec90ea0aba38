package io.sluice.client.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.BitSet;
import org.junit.jupiter.api.Test;

class DamageSeenTest {
  private final DamageSeen seen = new DamageSeen(run(4));
  // Nanoseconds; like those of real clocks they may begin anywhere.
  private long now = Long.MAX_VALUE - 1;

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
    assertThat(seen.isWorthAnotherLook(now)).isTrue();
    seen.gotSomethingNew();
    assertThat(seen.isWorthAnotherLook(now)).isFalse();
    assertThat(seen.last()).isEqualTo("damaged");
  }

  @Test
  void isWorthASecondLookAndNoThirdThatGetsNoFurther() {
    meetAt(1);
    assertThat(seen.isWorthAnotherLook(now)).isTrue();
    meetAt(1);
    assertThat(seen.isWorthAnotherLook(now)).isFalse();
  }

  @Test
  void isWorthALookForEachNewBlock() {
    for (int i = 0; i < 10; i++) {
      seen.gotSomethingNew();
      meetAt(1);
      assertThat(seen.isWorthAnotherLook(now)).isTrue();
    }
    meetAt(1);
    assertThat(seen.isWorthAnotherLook(now)).isFalse();
  }

  @Test
  void isWorthNoMoreLooksThanThereArePartitionsIfNothingNewComes() {
    int looks = 0;
    for (int i = 0; i < 100; i++) {
      meetAt(i % 4);
      looks += seen.isWorthAnotherLook(now) ? 1 : 0;
    }
    assertThat(looks).isEqualTo(4);
  }

  /** Each brings a block more, and the server looks for seconds before each. */
  @Test
  void isWorthNoLookThirtySecondsAfterTheFirstOneMore() {
    now += Duration.ofMinutes(10).toNanos();
    meetAt(1);
    assertThat(seen.isWorthAnotherLook(now)).as("however late damage is met").isTrue();
    int looks = 0;
    for (int i = 0; i < 100; i++) {
      now += Duration.ofSeconds(5).toNanos();
      seen.gotSomethingNew();
      meetAt(1);
      looks += seen.isWorthAnotherLook(now) ? 1 : 0;
    }
    assertThat(looks).as("after 5, 10, … 25 s").isEqualTo(5);
  }

  @Test
  void countsNoPartitionThatWasNotAskedFor() {
    meetAt(-1);
    assertThat(seen.isWorthAnotherLook(now)).isTrue();
    for (int position : new int[] {4, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      meetAt(position);
      assertThat(seen.isWorthAnotherLook(now)).isFalse();
    }
  }
}
