package io.sluice.tier.hdfs;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What takes seconds to start and is shared by all test classes of a process. */
final class StartedOnce {
  private StartedOnce() {}

  /**
   * Starts it for the first test class that asks; it is closed when the last test has ended.
   *
   * @param kind there is one of it
   */
  static <T extends AutoCloseable> T of(
      Class<T> kind, ExtensionContext context, Callable<T> start) {
    return context
        .getRoot()
        .getStore(ExtensionContext.Namespace.create(StartedOnce.class))
        .getOrComputeIfAbsent(
            kind,
            key -> {
              try {
                return start.call();
              } catch (Exception e) {
                throw new AssertionError(e);
              }
            },
            kind);
  }
}
