package io.sluice.cli.service;

import io.sluice.cli.ExitCode;
import java.lang.Thread.UncaughtExceptionHandler;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of whatever no thread of a service expected. An exception is logged: its thread or
 * its pool goes on. An {@link Error} ends the process at once, as {@code kill -9} would: nothing is
 * known of the state it leaves behind, clients and coordinator know how to live with a dead server,
 * and nobody knows how to live with one that has lost a thread. Shutdown hooks are not run, since
 * they could wait for that thread.
 */
final class UncaughtFailures implements UncaughtExceptionHandler {
  private static final Logger log = LoggerFactory.getLogger(UncaughtFailures.class);

  private final IntConsumer halt;

  UncaughtFailures(IntConsumer halt) {
    this.halt = halt;
  }

  /** For all threads of this JVM that have no handler of their own. */
  static void install() {
    Thread.setDefaultUncaughtExceptionHandler(new UncaughtFailures(Runtime.getRuntime()::halt));
  }

  @Override
  public void uncaughtException(Thread thread, Throwable failure) {
    try {
      log.error("unexpected failure of thread {}", thread.getName(), failure);
    } finally {
      if (failure instanceof Error) {
        halt.accept(ExitCode.SOFTWARE);
      }
    }
  }
}
