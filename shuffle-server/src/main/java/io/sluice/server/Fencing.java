package io.sluice.server;

import io.sluice.common.error.SluiceException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins a new life where a coordinator counts the present one as lost: on a thread of its own, for
 * an incarnation is synced to disks before it is used, and one that hangs, or that another sync
 * waits for, must not keep the session from saying anything. Thread-safe.
 *
 * <p>One at a time. Whoever asks meanwhile hears of that one: as long as the server comes with a
 * life that is lost, it is told so with every session.
 */
final class Fencing {
  private static final Logger log = LoggerFactory.getLogger(Fencing.class);

  private final Rise rise;
  private final Executor threads;
  private @Nullable CompletableFuture<Boolean> underWay;

  /** Takes an incarnation above one that is lost, and has whoever knew the old one hear of it. */
  @FunctionalInterface
  interface Rise {
    /**
     * Waits for disks.
     *
     * @throws SluiceException DISK_FAILED if none takes it
     */
    void above(long incarnation);
  }

  Fencing(Rise rise) {
    this(rise, Fencing::startThread);
  }

  /**
   * @param threads one task at a time, which may never end
   */
  Fencing(Rise rise, Executor threads) {
    this.rise = rise;
    this.threads = threads;
  }

  private static void startThread(Runnable task) {
    Thread thread = new Thread(task, "sluice-fence");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Returns at once.
   *
   * @return whether disks have taken it, when it is known; on any thread
   */
  CompletionStage<Boolean> begin(long lost) {
    CompletableFuture<Boolean> taken = new CompletableFuture<>();
    synchronized (this) {
      if (underWay != null) {
        return underWay;
      }
      underWay = taken;
    }
    log.warn("the coordinator counts incarnation {} of this server as lost", lost);
    threads.execute(
        () -> {
          boolean done = run(lost);
          synchronized (this) {
            underWay = null;
          }
          taken.complete(done);
        });
    return taken;
  }

  private boolean run(long lost) {
    try {
      rise.above(lost);
      return true;
    } catch (SluiceException e) {
      log.warn("no new incarnation was taken, and the old one is of no use any more", e);
    } catch (RuntimeException e) {
      // A thread's edge: after a bug, too, the next session's word counts.
      log.error("no new incarnation was taken, which failed unexpectedly", e);
    }
    return false;
  }
}
