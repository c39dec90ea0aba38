package io.sluice.common.lifecycle;

import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Makes threads that outlive whoever comes to start them. In an engine's process that is a thread
 * of some job, whose inheritable thread-locals (its session, its properties) and class loader are
 * the job's: a thread that inherits them keeps them, and all that they refer to, until it ends.
 * These inherit none, and find classes where Sluice's are. Java itself keeps of who starts a thread
 * the classes on its stack ({@code AccessControlContext}, until Java 24), mostly those of the
 * engine, which cannot be left out.
 */
public final class OwnThreads {
  private OwnThreads() {}

  /** A daemon, not started. */
  public static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(null, task, name, 0, false);
    thread.setContextClassLoader(OwnThreads.class.getClassLoader());
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Has threads made that cannot be told not to inherit, by one that has nothing to hand on. Waits
   * for that, which takes as long as it takes to start a thread; an interrupt does not end it.
   */
  public static <T> T madeByOne(Supplier<T> maker) {
    return CompletableFuture.supplyAsync(maker, task -> daemon("sluice-threads", task).start())
        .join();
  }
}
