package org.apache.spark.shuffle.sluice.spare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.junit.jupiter.api.Test;
import scala.Option;

class SpareCoresTest {
  private final HandDriven threads = new HandDriven();
  private final List<String> ran = new ArrayList<>();

  @Test
  void lendsWhatTasksLeave() {
    SpareCores cores = threads.cores(3);
    cores.begin(1);
    cores.begin(2);
    assertThat(cores.submit(job("a"))).isNotNull();
    assertThat(cores.submit(job("b"))).isNull();

    threads.runNext();
    assertThat(cores.submit(job("c"))).isNotNull();
    cores.end(2);
    assertThat(cores.submit(job("d"))).isNotNull();
    assertThat(cores.submit(job("e"))).isNull();
    threads.runAll();
    assertThat(ran).containsExactly("a", "c", "d");
  }

  /** The pool's threads outlive tasks, and have Sluice's own. */
  @Test
  void aJobFindsClassesAsItsTaskDoes() {
    Thread thread = Thread.currentThread();
    ClassLoader tasks = thread.getContextClassLoader();
    ClassLoader cores = new ClassLoader(tasks) {};
    List<ClassLoader> seen = new ArrayList<>();
    SpareCores lent = threads.cores(2);
    assertThat(lent.submit(() -> seen.add(thread.getContextClassLoader()))).isNotNull();
    assertThat(lent.submit(SpareCoresTest::fail)).isNotNull();
    thread.setContextClassLoader(cores);
    try {
      threads.runAll();
      assertThat(thread.getContextClassLoader()).as("between jobs").isSameAs(cores);
    } finally {
      thread.setContextClassLoader(tasks);
    }
    assertThat(seen).containsExactly(tasks);
  }

  private static void fail() {
    throw new IllegalStateException("on purpose");
  }

  /** A pool may queue a job and then find that there is no memory for another thread. */
  @Test
  void aJobThatLiesBeforeThreadsThatCouldNotBeStartedIsItsOwnersAlone() {
    List<Runnable> queued = new ArrayList<>();
    AtomicBoolean full = new AtomicBoolean(true);
    SpareCores cores =
        new SpareCores(
            1,
            job -> {
              queued.add(job);
              if (full.get()) {
                throw new OutOfMemoryError("unable to create native thread");
              }
            },
            () -> {});
    assertThat(cores.submit(job("a"))).isNull();
    queued.get(0).run();
    assertThat(ran).isEmpty();

    full.set(false);
    assertThat(cores.submit(job("b"))).isNotNull();
    assertThat(cores.submit(job("c"))).as("one core, lent").isNull();
    queued.get(1).run();
    assertThat(ran).containsExactly("b");
  }

  @Test
  void lendsNothingWhereEverySlotHasATask() {
    SpareCores cores = threads.cores(1);
    cores.begin(1);
    assertThat(cores.submit(job("a"))).isNull();
    // More tasks than processors.
    cores.begin(2);
    cores.end(1);
    assertThat(cores.submit(job("a"))).isNull();
    assertThat(threads.waiting()).isZero();
  }

  @Test
  void aTaskCountsOnceUntilItEnds() {
    SpareCores cores = threads.cores(2);
    TaskContextImpl task = TaskContext$.MODULE$.empty();
    cores.atWork(task);
    cores.atWork(task);
    lent(cores, "a");
    assertThat(cores.submit(job("b"))).isNull();

    task.markTaskCompleted(Option.empty());
    lent(cores, "b");
    assertThat(cores.submit(job("c"))).isNull();
  }

  @Test
  void aJobTakenBackIsNotRunByTheThread() throws InterruptedException {
    SpareCores cores = threads.cores(1);
    Work work = lent(cores, "a");
    assertThat(work.reclaim()).isTrue();
    assertThat(work.reclaim()).isFalse();
    work.await();
    // The thread has not come by, so it is not to be had.
    assertThat(cores.submit(job("b"))).isNull();

    threads.runNext();
    assertThat(ran).isEmpty();
    lent(cores, "b");
  }

  @Test
  void aJobThatHasBegunCannotBeTakenBack() throws InterruptedException {
    SpareCores cores = threads.cores(1);
    List<Work> own = new ArrayList<>();
    Work work =
        Objects.requireNonNull(cores.submit(() -> ran.add("taken back: " + own.get(0).reclaim())));
    own.add(work);
    threads.runNext();
    assertThat(work.reclaim()).isFalse();
    work.await();
    assertThat(ran).containsExactly("taken back: false");
  }

  @Test
  void finishesAJobOnTheCallersThreadIfItHasNotBegun() throws InterruptedException {
    SpareCores cores = threads.cores(2);
    Work behind = lent(cores, "a");
    Work begun = lent(cores, "b");
    behind.finish();
    assertThat(ran).containsExactly("a");
    threads.runAll();
    begun.finish();
    assertThat(ran).containsExactly("a", "b");
  }

  @Test
  void whatAJobThrowsIsThrownToWhoWaits() {
    SpareCores cores = threads.cores(1);
    IllegalArgumentException wrong = new IllegalArgumentException("wrong");
    Work work = Objects.requireNonNull(cores.submit(throwing(wrong)));
    threads.runNext();
    assertThatThrownBy(work::await).isSameAs(wrong);
    work.abandon();

    OutOfMemoryError full = new OutOfMemoryError("full");
    Work second = Objects.requireNonNull(cores.submit(throwing(full)));
    threads.runNext();
    assertThatThrownBy(second::finish).isSameAs(full);
    // The core came back each time.
    lent(cores, "a");
  }

  private static Runnable throwing(Throwable thrown) {
    return () -> {
      if (thrown instanceof Error error) {
        throw error;
      }
      throw (RuntimeException) thrown;
    };
  }

  @Test
  void anAbandonedJobThatHasNotBegunNeverRuns() {
    SpareCores cores = threads.cores(1);
    lent(cores, "a").abandon();
    threads.runAll();
    assertThat(ran).isEmpty();
  }

  @Test
  void lendsNothingOnceClosedButRunsWhatItTook() throws InterruptedException {
    SpareCores cores = threads.cores(2);
    Work work = lent(cores, "a");
    cores.close();
    assertThat(cores.submit(job("b"))).isNull();
    threads.runAll();
    work.await();
    assertThat(ran).containsExactly("a");
  }

  @Test
  void threadsThatRefuseAreNoCores() {
    SpareCores cores = new SpareCores(1, threads, () -> {});
    threads.refuse();
    assertThat(cores.submit(job("a"))).isNull();
    // What was refused is not lent.
    threads.accept();
    lent(cores, "a");
    threads.runNext();
    assertThat(ran).containsExactly("a");
  }

  @Test
  void aSystemWithoutMoreThreadsHasNoCores() {
    AtomicBoolean full = new AtomicBoolean(true);
    SpareCores cores =
        new SpareCores(
            1,
            job -> {
              if (full.get()) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              threads.execute(job);
            },
            () -> {});
    assertThat(cores.submit(job("a"))).isNull();
    full.set(false);
    lent(cores, "a");
  }

  /** A container without a limit of processors sees those of its node. */
  @Test
  void tasksAtOnceAreAsManyAsSparkIsToldWhateverTheProcessors() {
    assertThat(tasksAtOnce("yarn", "4", "1", 96)).isEqualTo(4);
    assertThat(tasksAtOnce("k8s://https://there:443", "4", "1", 96)).isEqualTo(4);
    assertThat(tasksAtOnce("yarn", "64", "1", 8)).as("more than there are").isEqualTo(64);
    assertThat(tasksAtOnce("yarn", "4", "8", 96)).as("never none").isEqualTo(1);
  }

  /** Resource profiles, and workers that have more cores than their host, are not told of. */
  @Test
  void tasksAtOnceAreNoFewerThanAreAtWork() {
    try (SpareCores cores = SpareCores.of(conf("yarn", "2", "1"), 8)) {
      for (long attempt = 1; attempt <= 5; attempt++) {
        cores.begin(attempt);
      }
      assertThat(cores.tasksAtOnce()).isEqualTo(5);
      for (long attempt = 1; attempt <= 5; attempt++) {
        cores.end(attempt);
      }
      assertThat(cores.tasksAtOnce()).isEqualTo(2);
    }
  }

  private static int tasksAtOnce(String master, String cores, String cpus, int processors) {
    try (SpareCores spare = SpareCores.of(conf(master, cores, cpus), processors)) {
      return spare.tasksAtOnce();
    }
  }

  private static SparkConf conf(String master, String cores, String cpus) {
    return new SparkConf(false)
        .set("spark.master", master)
        .set("spark.executor.cores", cores)
        .set("spark.task.cpus", cpus);
  }

  private Work lent(SpareCores cores, String name) {
    return Objects.requireNonNull(cores.submit(job(name)));
  }

  private Runnable job(String name) {
    return () -> ran.add(name);
  }
}
