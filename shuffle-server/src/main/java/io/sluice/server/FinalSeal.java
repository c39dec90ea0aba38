package io.sluice.server;

import io.sluice.common.error.SluiceException;
import io.sluice.server.segment.SegmentStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last that a life does to its disks: has all of them synced at once, by their own threads, and
 * seals them; before a deadline, since a disk that hangs answers none of it.
 */
final class FinalSeal {
  private static final Logger log = LoggerFactory.getLogger(FinalSeal.class);

  private final List<SegmentStore> stores;
  private final Runnable seal;

  /**
   * @param seal blocks, and throws if a disk does not take it
   */
  FinalSeal(List<SegmentStore> stores, Runnable seal) {
    this.stores = stores;
    this.seal = seal;
  }

  /**
   * Waits for the disks. If it is not done in time, what has begun may still come about: that is
   * true then, and comes too late, since the life counts as lost.
   *
   * @return whether all disks are synced and know that nothing of this life is lost
   * @throws InterruptedException if interrupted; it is not sealed
   */
  boolean run(long nanos) throws InterruptedException {
    List<CompletableFuture<Void>> syncs = stores.stream().map(SegmentStore::sync).toList();
    CompletableFuture<Void> sealed = all(syncs).thenRunAsync(seal, FinalSeal::begin);
    try {
      sealed.get(nanos, TimeUnit.NANOSECONDS);
      log.info("sealed: the next start has everything");
      return true;
    } catch (TimeoutException e) {
      warn("a disk is not synced in time", null);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SluiceException) {
        warn("a disk failed", e.getCause());
      } else {
        log.error("not sealed: it failed unexpectedly", e.getCause());
      }
    } catch (InterruptedException e) {
      warn("interrupted", null);
      throw e;
    } finally {
      // What has not begun by now never does.
      sealed.cancel(false);
      syncs.forEach(sync -> sync.cancel(false));
    }
    return false;
  }

  /** Ends with the first that fails: the others are not waited for. */
  private static CompletableFuture<Void> all(List<CompletableFuture<Void>> syncs) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(syncs.toArray(CompletableFuture<?>[]::new));
    for (CompletableFuture<Void> sync : syncs) {
      CompletableFuture<?> unused =
          sync.whenComplete(
              (synced, failure) -> {
                if (failure != null) {
                  all.completeExceptionally(failure);
                }
              });
    }
    return all;
  }

  /** On a thread of its own: it may never return. */
  private static void begin(Runnable task) {
    Thread thread = new Thread(task, "sluice-seal");
    thread.setDaemon(true);
    thread.start();
  }

  private static void warn(String why, @Nullable Throwable cause) {
    log.warn("not sealed, the next start counts what this one had as lost: {}", why, cause);
  }
}
