package org.apache.spark.shuffle.sluice.spare;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.SparkConf;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SpareCoresConcurrencyTest {
  private static final int SLOTS = 4;
  private static final int TASKS = 6;
  private static final int JOBS = 5000;

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();
  private final AtomicInteger byThreads = new AtomicInteger();

  @Test
  void eachJobIsRunOnceByOneSide() throws Exception {
    ExecutorService tasks = Executors.newFixedThreadPool(TASKS);
    try (SpareCores cores = cores(SLOTS)) {
      List<Future<Integer>> done = new ArrayList<>();
      for (int task = 0; task < TASKS; task++) {
        done.add(tasks.submit(taskOf(cores, task)));
      }
      for (Future<Integer> jobs : done) {
        assertThat(jobs.get()).isEqualTo(JOBS);
      }
    } finally {
      tasks.shutdownNow();
    }
    assertThat(mostRunning.get()).isBetween(1, SLOTS);
    assertThat(byThreads.get()).isPositive();
  }

  private static SpareCores cores(int slots) {
    ThreadPoolExecutor threads = LentThreads.atMost(slots);
    return new SpareCores(slots, threads, threads::shutdown);
  }

  /** Comes and goes; waits for, finishes or abandons what it submits. Answers how many it had. */
  private Callable<Integer> taskOf(SpareCores cores, int attempt) {
    return () -> {
      int jobs = 0;
      for (; jobs < JOBS; jobs++) {
        if (jobs % 50 == 0) {
          cores.begin(attempt);
        } else if (jobs % 50 == 30) {
          cores.end(attempt);
        }
        Job job = new Job(Thread.currentThread());
        @Nullable Work work = cores.submit(job);
        if (work == null) {
          job.run();
        } else if (jobs % 3 == 0) {
          work.finish();
        } else if (jobs % 3 == 1) {
          work.await();
        } else if (work.reclaim()) {
          job.run();
        } else {
          work.abandon();
        }
        // Not volatile: whoever waited sees what the job wrote.
        assertThat(job.runs).isEqualTo(1);
      }
      return jobs;
    };
  }

  private final class Job implements Runnable {
    private final Thread owner;
    private int runs;

    Job(Thread owner) {
      this.owner = owner;
    }

    @Override
    public void run() {
      if (Thread.currentThread() != owner) {
        byThreads.incrementAndGet();
        int now = running.incrementAndGet();
        mostRunning.accumulateAndGet(now, Math::max);
        runs++;
        running.decrementAndGet();
      } else {
        runs++;
      }
    }
  }

  /** Whoever is behind finds jobs taken, which is quicker, and so catches up again and again. */
  @Test
  void aJobIsItsThreadsOrItsOwnersWhenBothWantItAtOnce() throws Exception {
    AtomicInteger ran = new AtomicInteger();
    List<Work> jobs = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      jobs.add(new Work(ran::incrementAndGet, () -> {}));
    }
    CyclicBarrier start = new CyclicBarrier(2);
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      Future<?> thread =
          threads.submit(
              () -> {
                start.await();
                jobs.forEach(Work::begin);
                return null;
              });
      Future<Long> takenBack =
          threads.submit(
              () -> {
                start.await();
                return jobs.stream().filter(Work::reclaim).count();
              });
      thread.get();
      assertThat(takenBack.get() + ran.get()).isEqualTo(jobs.size());
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void abandoningWaitsForAJobThatRunsThoughInterrupted() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    try (SpareCores cores = cores(1)) {
      AtomicInteger ended = new AtomicInteger();
      Work work =
          cores.submit(
              () -> {
                begun.countDown();
                awaitUnchecked(go);
                ended.incrementAndGet();
              });
      assertThat(work).isNotNull();
      begun.await();
      Set<String> seen = ConcurrentHashMap.newKeySet();
      Thread owner =
          new Thread(
              () -> {
                Thread.currentThread().interrupt();
                work.abandon();
                seen.add("ended " + ended.get());
                seen.add("interrupted " + Thread.currentThread().isInterrupted());
              });
      owner.start();
      go.countDown();
      owner.join();
      assertThat(seen).containsExactlyInAnyOrder("ended 1", "interrupted true");
    }
  }

  private static void awaitUnchecked(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void threadsAreDaemonsThatTheirCloseEnds() throws Exception {
    ConcurrentHashMap<String, Thread> threads = new ConcurrentHashMap<>();
    SpareCores cores = SpareCores.of(new SparkConf(false).setMaster("local[2]"));
    Work work = cores.submit(() -> threads.put("lent", Thread.currentThread()));
    assertThat(work).isNotNull();
    work.await();
    Thread lent = Objects.requireNonNull(threads.get("lent"));
    assertThat(lent.isDaemon()).isTrue();
    assertThat(lent.getName()).startsWith(LentThreads.NAME);
    cores.close();
    lent.join(TimeUnit.SECONDS.toMillis(30));
    assertThat(lent.isAlive()).isFalse();
  }
}
