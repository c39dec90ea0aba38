package io.sluice.integration;

import io.sluice.cli.spark.SparkDriver;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Executors of a driver whose cluster is in its own process, as with {@code local-cluster}. */
final class ExecutorKills {
  private static final long DEADLINE_SECONDS = 60;

  private ExecutorKills() {}

  /** Those that live. */
  static List<ProcessHandle> of(SparkDriver driver) {
    return ProcessHandle.of(driver.pid())
        .orElseThrow()
        .descendants()
        .filter(
            process ->
                process.info().commandLine().orElse("").contains("CoarseGrainedExecutorBackend"))
        .toList();
  }

  /** Waits until one of them has ended. */
  static void awaitEndOfOne(List<ProcessHandle> executors) throws Exception {
    CompletableFuture.anyOf(
            executors.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
        .get(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  /** Kills them as whoever takes a machine away does: without a word. */
  static void kill(List<ProcessHandle> executors) throws Exception {
    for (ProcessHandle executor : executors) {
      executor.destroyForcibly();
    }
    for (ProcessHandle executor : executors) {
      executor.onExit().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
  }
}
