package io.sluice.cli.service;

import io.sluice.cli.ExitCode;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How a process that runs a service, or a command that has to put things in order, comes to its
 * end. SIGTERM, Ctrl-C or the end of standard input ask it to stop; the JVM's own end is held up
 * until the command has returned, and all its last words are said.
 *
 * <p>A JVM that a signal ends exits with the signal's status (143, 130), whatever its hooks do and
 * however {@code System.exit} is called meanwhile. That is right for a stop that went well. One
 * that did not has an exit code of its own, and only halting the JVM can give it: so the hook does,
 * as the last thing that happens. Other hooks began with this one, and nothing of ours is in them.
 */
public final class StopSignal {
  private final IntConsumer halt;
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
  // Of the thread that runs the command.
  private @Nullable Thread hook;

  /**
   * A signal that nobody watches for yet.
   *
   * @param halt ends the JVM at once with a status, without hooks
   */
  public StopSignal(IntConsumer halt) {
    this.halt = halt;
  }

  /** From now on a stop is the service's to make. Once. */
  void watch(boolean standardInputToo) {
    Thread installed = new Thread(this::stopAndWait, "stop");
    Runtime.getRuntime().addShutdownHook(installed);
    hook = installed;
    if (standardInputToo) {
      Thread watcher = new Thread(this::watchStandardInput, "standard input");
      watcher.setDaemon(true);
      watcher.start();
    }
  }

  /**
   * From now on a stop is a command's to make. Once.
   *
   * @param told on a thread of its own, when a stop is asked for
   */
  public void watch(Runnable told) {
    watch(false);
    Thread teller =
        new Thread(
            () -> {
              try {
                await();
                told.run();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "stop teller");
    teller.setDaemon(true);
    teller.start();
  }

  /** A service finds that it cannot go on. */
  void stop() {
    asked.countDown();
  }

  void await() throws InterruptedException {
    asked.await();
  }

  /**
   * The command has returned, everything is closed and logged: a JVM that was told to end may end.
   *
   * @return the code, to exit with if it was not
   */
  public int ended(int code) {
    Thread installed = hook;
    if (installed != null) {
      try {
        Runtime.getRuntime().removeShutdownHook(installed);
      } catch (IllegalStateException ending) {
        // It runs, and waits for the code.
      }
    }
    exitCode.complete(code);
    return code;
  }

  /** The hook. */
  void stopAndWait() {
    asked.countDown();
    try {
      int code = exitCode.get();
      if (code != ExitCode.OK) {
        halt.accept(code);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
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
