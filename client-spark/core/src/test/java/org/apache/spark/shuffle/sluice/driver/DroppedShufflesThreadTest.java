package org.apache.spark.shuffle.sluice.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class DroppedShufflesThreadTest {
  /** Whoever registers the first shuffle starts it, and has a session and classes of its own. */
  @Test
  void keepsNoClassLoaderOfAJob() {
    Thread job = Thread.currentThread();
    ClassLoader before = job.getContextClassLoader();
    ClassLoader jobs = new URLClassLoader(new URL[0], before);
    job.setContextClassLoader(jobs);
    try (DroppedShuffles watched =
        DroppedShuffles.watch(new ShuffleDependencies(), shuffle -> true, shuffle -> {})) {
      assertThat(watched).isNotNull();
      List<Thread> threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().equals("sluice-dropped-shuffles"))
              .collect(Collectors.toList());

      assertThat(threads).isNotEmpty();
      assertThat(threads).noneMatch(thread -> thread.getContextClassLoader() == jobs);
    } finally {
      job.setContextClassLoader(before);
    }
  }
}
