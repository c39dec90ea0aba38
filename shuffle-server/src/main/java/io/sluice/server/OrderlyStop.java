package io.sluice.server;

import io.sluice.common.time.Clock;
import io.sluice.server.control.ControlSession;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a server out of service without a client that notices more than a lost connection.
 *
 * <ol>
 *   <li>The coordinator hears that the server stops: no new placements, and it is waited for.
 *       Clients get GOAWAY: they send nothing new, wait for answers to what is under way, finish
 *       what they read, and go.
 *   <li>When all have gone, or a quarter of the time is over, blocks are refused: so what was
 *       acknowledged is all there is to save.
 *   <li>Memory is written to disk, for as long as configured. Those who still read go on.
 *   <li>If all of it got there, the disks are synced and sealed, so that the next start knows that
 *       nothing is lost: for what memory left of its time, and 20 seconds. Else, or if that is not
 *       enough, the coordinator hears that something is lost.
 *   <li>What is left of the connections ends with SHUTTING_DOWN, and the coordinator says that it
 *       has heard all this, for which a second is waited.
 * </ol>
 *
 * <p>To be in more of a hurry, interrupt the thread, or kill the process: what is on disk survives
 * either.
 */
final class OrderlyStop {
  private static final Logger log = LoggerFactory.getLogger(OrderlyStop.class);
  private static final int GOODBYE_SHARE = 4;

  /** A leader takes a report within milliseconds; after its own collections, within a second. */
  private static final long LAST_WORDS_SECONDS = 1;

  /**
   * For syncing and sealing where memory took all the time there is. Whoever would kill the process
   * waits half a minute longer than for clients and memory (docs/failures.md): the rest is for
   * connections to end and for the last words.
   */
  private static final long SEAL_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final ControlSession control;
  private final DataPorts data;
  private final ServerCore core;
  private final boolean onDisk;
  private final Seal seal;
  private final Clock clock;

  /** Ends the life on its disks. */
  @FunctionalInterface
  interface Seal {
    /**
     * Called when everything is on disks: makes that last, says whether it could. Waits for about
     * {@code nanos} at most.
     */
    boolean trySeal(long nanos) throws InterruptedException;
  }

  /**
   * @param onDisk whether there is a disk to save memory to
   */
  OrderlyStop(
      ControlSession control,
      DataPorts data,
      ServerCore core,
      boolean onDisk,
      Seal seal,
      Clock clock) {
    this.control = control;
    this.data = data;
    this.core = core;
    this.onDisk = onDisk;
    this.seal = seal;
    this.clock = clock;
  }

  /**
   * Blocks for about five quarters of {@code nanos} and half a minute at most. Once.
   *
   * @param nanos for memory to reach the disks
   * @return about how many bytes were left in memory for which there is a disk; empty if nothing
   *     was
   */
  OptionalLong run(long nanos) {
    log.info("stopping");
    control.stopping();
    CompletableFuture<Void> gone = data.goAway();
    OptionalLong left = OptionalLong.empty();
    boolean sealed = false;
    try {
      await(gone, nanos / GOODBYE_SHARE);
      if (onDisk) {
        long began = clock.nanoTime();
        left = new FinalFlush(core).run(nanos);
        long unused = Math.max(0, nanos - (clock.nanoTime() - began));
        sealed = left.isEmpty() && seal.trySeal(unused + SEAL_NANOS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      left = interrupted();
    }
    if (!sealed) {
      control.stoppingWithLoss();
    }
    data.close();
    awaitLastWords();
    return left;
  }

  /** A leader that heard only a connection end would wait for what is gone, or not wait at all. */
  private void awaitLastWords() {
    try {
      control.finish().toCompletableFuture().get(LAST_WORDS_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      log.warn("the coordinator has not said that it knows of this stop");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private OptionalLong interrupted() {
    long bytes = onDisk ? core.unsavedBytes() : 0;
    if (bytes == 0) {
      return OptionalLong.empty();
    }
    log.error("stopped with {} bytes in memory, which are lost: interrupted", bytes);
    return OptionalLong.of(bytes);
  }

  private static void await(CompletableFuture<Void> gone, long nanos) throws InterruptedException {
    try {
      gone.get(nanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      log.info("some clients stay; they may read on, but push no more");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}
