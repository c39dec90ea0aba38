package io.sluice.transport.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Credit is never overspent, never invented, and never left unasked for when work waits. */
class CreditWindowPropertyTest {
  private static final int QUANTUM = 1000;
  private static final int LARGEST = 5000;

  @Property(tries = 500)
  void balancesLikeTheServersBooks(@ForAll long seed) {
    Random random = new Random(seed);
    CreditWindow window = new CreditWindow(QUANTUM, LARGEST);
    long given = random.nextInt(3000);
    window.reset(given);
    long spent = 0;
    long returned = 0;
    long queued = 0;
    boolean asked = false;
    ArrayDeque<Integer> inFlight = new ArrayDeque<>();
    for (int step = 0; step < 200; step++) {
      switch (random.nextInt(6)) {
        case 0 -> queued += random.nextInt(4000);
        case 1 -> {
          int charge = 1 + random.nextInt(800);
          if (charge <= queued && window.take(charge)) {
            queued -= charge;
            spent += charge;
            inFlight.add(charge);
          }
        }
        case 2 -> {
          if (!inFlight.isEmpty()) {
            long refund = random.nextInt(1 + inFlight.remove());
            window.refund(refund);
            given += refund;
          }
        }
        case 3 -> {
          if (asked && random.nextInt(4) > 0) {
            long grant = 1L + random.nextInt(LARGEST);
            window.granted(grant);
            given += grant;
            asked = false;
          } else if (asked) {
            window.refused();
            asked = false;
          }
        }
        case 4 -> {
          long before = window.available();
          boolean sendable = random.nextBoolean();
          long spare = window.giveUp(queued, sendable, random.nextInt(3000));
          returned += spare;
          assertThat(spare).isNotNegative();
          assertThat(window.available()).isEqualTo(before - spare);
          if (sendable) {
            assertThat(window.available()).isGreaterThanOrEqualTo(Math.min(before, queued));
          }
        }
        default -> {
          long want = window.want(queued, !inFlight.isEmpty());
          if (want > 0) {
            assertThat(asked).as("one WANT at a time").isFalse();
            assertThat(want).isBetween((long) QUANTUM, (long) LARGEST);
            asked = true;
          }
          boolean stuck = queued > window.available() && inFlight.isEmpty();
          assertThat(stuck && !asked).as("work waits and nothing was asked for").isFalse();
        }
      }
      assertThat(window.available()).isNotNegative().isEqualTo(given - spent - returned);
    }
  }
}
