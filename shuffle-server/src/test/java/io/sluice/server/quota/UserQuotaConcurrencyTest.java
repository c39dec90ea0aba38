package io.sluice.server.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.server.user.KnownUsers;
import io.sluice.server.user.UserDirectory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Users become known while event loops take and give back: no byte twice, none lost. */
class UserQuotaConcurrencyTest {
  private static final int ROUNDS = 400;
  private static final int LOOPS = 3;
  private static final int APPLICATIONS = 4;
  private static final int STEPS = 2_000;

  private static ApplicationId application(int number) {
    return ApplicationId.of(1, number);
  }

  @Test
  void everyByteIsOnTheUsersAccountOnceHoweverLateTheUserIsKnown() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(LOOPS + 1);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        race(threads, round);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void race(ExecutorService threads, int round) throws Exception {
    Quotas quotas =
        new Quotas(new QuotaLimits(1_000_000, Long.MAX_VALUE, Long.MAX_VALUE), new UserDirectory());
    CyclicBarrier start = new CyclicBarrier(LOOPS + 1);
    List<Future<Map<ApplicationId, Long>>> loops = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      int seed = round * LOOPS + i;
      loops.add(
          threads.submit(
              () -> {
                start.await();
                return pushAndRemove(quotas, new SplittableRandom(seed));
              }));
    }
    Future<?> coordinator =
        threads.submit(
            () -> {
              start.await();
              SplittableRandom random = new SplittableRandom(round);
              for (int i = 0; i < APPLICATIONS; i++) {
                for (int delay = random.nextInt(STEPS); delay > 0; delay--) {
                  Thread.onSpinWait();
                }
                quotas.learn(new KnownUsers(false, false, Map.of(application(i), user(i))));
              }
              return null;
            });
    Map<ApplicationId, Long> held = new HashMap<>();
    for (Future<Map<ApplicationId, Long>> loop : loops) {
      loop.get(60, TimeUnit.SECONDS).forEach((id, bytes) -> held.merge(id, bytes, Long::sum));
    }
    coordinator.get(60, TimeUnit.SECONDS);
    check(quotas, held);
  }

  private static void check(Quotas quotas, Map<ApplicationId, Long> held) {
    Map<String, Long> expected = new HashMap<>();
    for (int i = 0; i < APPLICATIONS; i++) {
      long bytes = held.getOrDefault(application(i), 0L);
      assertThat(quota(quotas, i).used()).as("application %d", i).isEqualTo(bytes);
      expected.merge(user(i), bytes, Long::sum);
    }
    assertThat(quotas.usedByUser()).isEqualTo(expected);
    for (int i = 0; i < APPLICATIONS; i++) {
      quota(quotas, i).giveBack(held.getOrDefault(application(i), 0L));
    }
    assertThat(quotas.usedByUser().values()).containsOnly(0L);
    for (int shuffle = 0; shuffle < LOOPS * APPLICATIONS; shuffle++) {
      quotas.release(application(shuffle % APPLICATIONS));
    }
    assertThat(quotas.usedByUser()).isEmpty();
  }

  private static ByteQuota quota(Quotas quotas, int application) {
    return Objects.requireNonNull(quotas.find(application(application)));
  }

  private static String user(int application) {
    return "user" + application % 2;
  }

  /** As an event loop with a shuffle of each; returns what it has taken and not given back. */
  private static Map<ApplicationId, Long> pushAndRemove(Quotas quotas, SplittableRandom random) {
    Map<ApplicationId, Long> held = new HashMap<>();
    List<ByteQuota> shuffles = new ArrayList<>();
    for (int i = 0; i < APPLICATIONS; i++) {
      held.put(application(i), 0L);
      shuffles.add(quotas.acquire(application(i)));
    }
    for (int step = 0; step < STEPS; step++) {
      int number = random.nextInt(APPLICATIONS);
      ApplicationId id = application(number);
      long has = held.getOrDefault(id, 0L);
      if (has > 0 && random.nextInt(4) == 0) {
        long back = random.nextLong(has) + 1;
        shuffles.get(number).giveBack(back);
        held.put(id, has - back);
      } else {
        long bytes = random.nextLong(10_000) + 1;
        shuffles.get(number).take(bytes);
        held.put(id, has + bytes);
      }
    }
    return held;
  }
}
