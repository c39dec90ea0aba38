package io.sluice.cli.bench;

import io.sluice.common.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads that do one thing together, and are gone before whoever started them goes on. */
final class Crew {
  /** What they hold (outputs, readers) is closed in a moment when they are interrupted. */
  private static final long FAREWELL_SECONDS = 10;

  private static final Logger log = LoggerFactory.getLogger(Crew.class);

  private Crew() {}

  /** What one of them does. */
  interface Work {
    void run() throws InterruptedException;
  }

  /**
   * Runs each on a thread of its own and waits for all of them. The first that fails ends the
   * others, and so does an interrupt of the caller.
   *
   * @throws RuntimeException what the first failed with
   */
  static void run(String name, List<Work> works) throws InterruptedException {
    ExecutorService crew =
        Executors.newFixedThreadPool(
            works.size(),
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    try {
      CompletionService<Boolean> done = new ExecutorCompletionService<>(crew);
      List<Future<Boolean>> begun = new ArrayList<>();
      for (Work work : works) {
        begun.add(
            done.submit(
                () -> {
                  work.run();
                  return true;
                }));
      }
      for (int i = 0; i < begun.size(); i++) {
        done.take().get();
      }
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } finally {
      end(crew);
    }
  }

  private static RuntimeException failure(@Nullable Throwable cause) throws InterruptedException {
    if (cause instanceof Error error) {
      throw error;
    }
    if (cause instanceof InterruptedException interrupted) {
      throw interrupted;
    }
    return cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
  }

  private static void end(ExecutorService crew) {
    crew.shutdownNow();
    boolean interrupted = false;
    Clock clock = Clock.system();
    long deadline = clock.nanoTime() + TimeUnit.SECONDS.toNanos(FAREWELL_SECONDS);
    while (true) {
      try {
        if (!crew.awaitTermination(deadline - clock.nanoTime(), TimeUnit.NANOSECONDS)) {
          log.warn("threads go on after {} s; their buffers go with the process", FAREWELL_SECONDS);
        }
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
