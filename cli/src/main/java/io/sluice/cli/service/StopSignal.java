package io.sluice.cli.service;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/**
 * Waits for SIGTERM, Ctrl-C or the end of standard input, and holds the JVM's own end up until the
 * service has been closed.
 */
final class StopSignal implements AutoCloseable {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch stopped = new CountDownLatch(1);

  private StopSignal() {}

  static StopSignal install(boolean watchStandardInput) {
    StopSignal signal = new StopSignal();
    Runtime.getRuntime().addShutdownHook(new Thread(signal::stopAndWait, "stop"));
    if (watchStandardInput) {
      Thread watcher = new Thread(signal::watchStandardInput, "standard input");
      watcher.setDaemon(true);
      watcher.start();
    }
    return signal;
  }

  void await() throws InterruptedException {
    asked.await();
  }

  /** The service is closed: the process may end. */
  @Override
  public void close() {
    stopped.countDown();
  }

  private void stopAndWait() {
    asked.countDown();
    try {
      stopped.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void watchStandardInput() {
    byte[] ignored = new byte[256];
    try {
      while (System.in.read(ignored) >= 0) {
        // Nobody talks to a service; only the end matters.
      }
    } catch (IOException closed) {
      // As good as the end.
    }
    asked.countDown();
  }
}
