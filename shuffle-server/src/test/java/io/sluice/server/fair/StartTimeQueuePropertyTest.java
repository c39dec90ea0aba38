package io.sluice.server.fair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class StartTimeQueuePropertyTest {
  private static final int LARGEST = 1 << 20;

  /** Theorem 1 of the paper: who always wait differ by their largest services at most. */
  @Property(tries = 200)
  void sharesByWeightBetweenThoseWhoAlwaysWait(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StartTimeQueue<Integer> queue = new StartTimeQueue<>();
    int flows = 2 + random.nextInt(19);
    double[] weights = new double[flows];
    int[] largest = new int[flows];
    double[] served = new double[flows];
    for (int i = 0; i < flows; i++) {
      weights[i] = 1.0 / (1 << random.nextInt(4));
      largest[i] = 4096 + random.nextInt(LARGEST);
      queue.enter(i);
    }
    double costliest = 0;
    for (int i = 0; i < flows; i++) {
      costliest = Math.max(costliest, largest[i] / weights[i]);
    }
    // So long that the bound below is a tenth of what each was served.
    while (Arrays.stream(served).min().orElseThrow() < 20 * costliest) {
      Integer next = queue.peek();
      assertThat(next).isNotNull();
      int bytes = 1 + random.nextInt(largest[next]);
      queue.serve(bytes / weights[next]);
      queue.enter(next);
      served[next] += bytes / weights[next];
    }
    for (int i = 0; i < flows; i++) {
      for (int j = 0; j < i; j++) {
        assertThat(Math.abs(served[i] - served[j]))
            .isLessThanOrEqualTo(largest[i] / weights[i] + largest[j] / weights[j]);
      }
    }
    assertThat(Jain.index(served)).isGreaterThan(0.99);
  }

  /** However others come and go, nobody is overtaken by one of them for more than two services. */
  @Property(tries = 200)
  void letsNobodyWaitForMoreThanTwoServicesOfEachOther(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    StartTimeQueue<Integer> queue = new StartTimeQueue<>();
    int flows = 2 + random.nextInt(19);
    boolean[] waits = new boolean[flows];
    // By row: what each other was served since this one began to wait.
    double[][] since = new double[flows][flows];
    for (int step = 0; step < 3000; step++) {
      int flow = random.nextInt(flows);
      int choice = random.nextInt(10);
      if (choice < 5 && !waits[flow]) {
        queue.enter(flow);
        waits[flow] = true;
        Arrays.fill(since[flow], 0);
      } else if (choice == 5 && waits[flow]) {
        queue.leave(flow);
        waits[flow] = false;
      } else if (choice > 5 && !queue.isEmpty()) {
        Integer next = queue.peek();
        assertThat(next).isNotNull();
        double cost = 1.0 + random.nextInt(LARGEST);
        queue.serve(cost);
        waits[next] = false;
        for (int i = 0; i < flows; i++) {
          since[i][next] += cost;
          assertThat(waits[i] && since[i][next] > 2.0 * LARGEST).isFalse();
        }
      }
    }
  }
}
