package io.sluice.server.flush;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UnitPaceTest {
  private final UnitPace pace = new UnitPace();
  private long now = TimeUnit.HOURS.toNanos(1);

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Writes units one after another; whether the last one made it fast again. */
  private boolean write(int units, long millisEach) {
    return write(units, UnitPace.PARTS, millisEach);
  }

  private boolean write(int units, int parts, long millisEach) {
    boolean recovered = false;
    for (int i = 0; i < units; i++) {
      long began = now;
      pace.began(now);
      pass(millisEach);
      recovered = pace.ended(began, now, parts, true);
    }
    return recovered;
  }

  /** A unit that does not come back in time has a window judged meanwhile. */
  private void becomeSlow() {
    long began = now;
    pace.began(now);
    pass(4_000);
    assertThat(pace.look(now)).isTrue();
    pass(1_000);
    assertThat(pace.ended(began, now, UnitPace.PARTS, true)).isFalse();
    assertThat(pace.slow()).isTrue();
  }

  private void stayFast() {
    assertThat(pace.look(now)).isFalse();
    assertThat(pace.slow()).isFalse();
  }

  @Test
  void isSlowWhenAWindowOfWritingGaveNextToNothing() {
    pace.began(now);
    long first = now;
    assertThat(pace.lookInNanos(now)).isEqualTo(TimeUnit.SECONDS.toNanos(4));
    pass(3_999);
    stayFast();
    assertThat(pace.lookInNanos(now)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1));
    pass(1);

    assertThat(pace.look(now)).isTrue();

    assertThat(pace.slow()).isTrue();
    assertThat(pace.look(now)).as("was known").isFalse();
    assertThat(pace.lookInNanos(now)).isEqualTo(-1);
    pace.ended(first, now, UnitPace.PARTS, true);
  }

  @Test
  void twoUnitsOfAWindowAreTooFewAndThreeAreEnough() {
    write(2, 2_000);
    assertThat(pace.look(now)).isTrue();

    UnitPace other = new UnitPace();
    for (int i = 0; i < 3; i++) {
      long began = now;
      other.began(now);
      pass(1_334);
      other.ended(began, now, UnitPace.PARTS, true);
    }
    assertThat(other.look(now)).isFalse();
    assertThat(other.slow()).isFalse();
  }

  @Test
  void unitsThatAreNotFullCountByTheirBytes() {
    write(8, 2, 500);
    assertThat(pace.look(now)).as("two full ones").isTrue();
    pass(10_000);

    assertThat(write(1, 2, 250)).as("as a full one in a second").isFalse();
    pass(10_000);
    assertThat(write(1, 2, 249)).isTrue();
    write(9, 2, 445);
    stayFast();
  }

  @Test
  void theSmallestUnitsAreAnEighth() {
    assertThat(UnitPace.parts(1, 4 << 20)).isEqualTo(1);
    assertThat(UnitPace.parts((512 << 10) - 1, 4 << 20)).isEqualTo(1);
    assertThat(UnitPace.parts(512 << 10, 4 << 20)).isEqualTo(2);
    assertThat(UnitPace.parts((4 << 20) - 1, 4 << 20)).isEqualTo(8);
    assertThat(UnitPace.parts(64 << 20, 56 << 20)).as("full").isEqualTo(8);
  }

  /** Else the second of each pair would look as if it had taken no time. */
  @Test
  void unitsThatAreWrittenSideBySideAreNotTakenForFastOnes() {
    pace.began(now);
    pace.began(now);
    pass(4_000);
    assertThat(pace.look(now)).isTrue();
  }

  @Test
  void oneStallAmongUnitsThatAreFastIsNone() {
    write(50, 10);
    write(1, 3_400);
    write(10, 10);

    stayFast();
  }

  @Test
  void timeWithoutAnythingToWriteDoesNotCount() {
    for (int i = 0; i < 100; i++) {
      write(1, 30);
      pass(60_000);
    }

    stayFast();
    assertThat(pace.lookInNanos(now)).isEqualTo(-1);
  }

  @Test
  void aLookThatComesLateSaysNothing() {
    pace.began(now);
    pass(30_000);

    stayFast();
    assertThat(pace.lookInNanos(now)).isEqualTo(TimeUnit.SECONDS.toNanos(4));
    pass(4_000);
    assertThat(pace.look(now)).isTrue();
  }

  @Test
  void oneFastUnitBehindThePauseMakesItFast() {
    becomeSlow();
    assertThat(write(3, 10)).as("too early").isFalse();
    assertThat(pace.trialDue(now)).isFalse();
    pass(10_000);
    assertThat(pace.trialDue(now)).isTrue();

    pace.began(now);
    assertThat(pace.trialDue(now)).as("one at a time").isFalse();
    long first = now;
    pass(1_000);
    assertThat(pace.ended(first, now, UnitPace.PARTS, true)).as("still too slow").isFalse();
    assertThat(pace.trialDue(now)).isFalse();
    pass(10_000);
    pace.began(now);
    assertThat(pace.ended(now, now, UnitPace.PARTS, false)).as("not written").isFalse();
    pass(10_000);

    assertThat(write(1, 999)).isTrue();
    stayFast();
    assertThat(pace.trialDue(now)).isFalse();
  }

  @Test
  void thePauseDoublesWithEachRelapseUpToABound() {
    long longest = 0;
    for (int i = 0; i < 8; i++) {
      becomeSlow();
      long since = now;
      while (!pace.trialDue(now)) {
        pass(500);
      }
      longest = TimeUnit.NANOSECONDS.toSeconds(now - since);
      // A second of the pause is over when the unit has come back.
      assertThat(longest).isEqualTo((10L << Math.min(i, 4)) - 1);
      assertThat(write(1, 10)).isTrue();
    }
    assertThat(longest).isEqualTo(159);
    pass(60_000);
    becomeSlow();
    pass(9_000);
    assertThat(pace.trialDue(now)).as("it was well for a minute").isTrue();
  }
}
