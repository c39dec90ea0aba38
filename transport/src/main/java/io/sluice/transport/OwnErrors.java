package io.sluice.transport;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an {@link Error} of an event loop from those who used the connection that it cost, as when
 * there is no direct memory for one more buffer. For them a connection is gone, which may come
 * again. Spark takes an Error among the causes of a task's failure for one of its process, and ends
 * the executor, or a local driver, with exit code 50 ({@code
 * spark.executor.killOnFatalError.depth}). What is short in the whole process the task meets
 * itself.
 */
public final class OwnErrors {
  private static final Logger log = LoggerFactory.getLogger(OwnErrors.class);

  private OwnErrors() {}

  /** The failure if others may be told of it as a cause; else null, and it is in the log. */
  public static @Nullable Throwable kept(@Nullable Throwable failure, String peer) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof Error) {
        log.error("the connection with {} ends for an error of this process", peer, failure);
        return null;
      }
    }
    return failure;
  }
}
