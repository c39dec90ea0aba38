package io.sluice.server;

import io.sluice.server.config.ServerConfig;
import io.sluice.server.control.ControlSession;
import io.sluice.transport.netty.NettyServer;
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
 *   <li>The coordinator hears that the server drains: no new placements. Clients get GOAWAY: they
 *       send nothing new, wait for answers to what is under way, finish what they read, and go.
 *   <li>When all have gone, or a quarter of the time is over, blocks are refused: so what was
 *       acknowledged is all there is to save.
 *   <li>Memory is written to disk, for as long as configured. Those who still read go on.
 *   <li>What is left of the connections ends with SHUTTING_DOWN.
 * </ol>
 *
 * <p>To be in more of a hurry, interrupt the thread, or kill the process: what is on disk survives
 * either.
 */
final class OrderlyStop {
  private static final Logger log = LoggerFactory.getLogger(OrderlyStop.class);
  private static final int GOODBYE_SHARE = 4;

  private final ControlSession control;
  private final NettyServer data;
  private final ServerCore core;
  private final boolean onDisk;

  /**
   * @param onDisk whether there is a disk to save memory to
   */
  OrderlyStop(ControlSession control, NettyServer data, ServerCore core, boolean onDisk) {
    this.control = control;
    this.data = data;
    this.core = core;
    this.onDisk = onDisk;
  }

  /** Blocks for about {@code nanos} at most. Again is harmless. */
  void run(long nanos) {
    log.info("stopping");
    control.drain();
    CompletableFuture<Void> gone = data.goAway();
    try {
      await(gone, nanos / GOODBYE_SHARE);
      if (onDisk) {
        flush(nanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    data.close();
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

  private void flush(long nanos) throws InterruptedException {
    try {
      if (core.drain().get(nanos, TimeUnit.NANOSECONDS)) {
        log.info("everything in memory has reached a disk");
      } else {
        log.warn("stopped with data in memory that no disk took: it is lost");
      }
    } catch (TimeoutException e) {
      log.warn(
          "stopped with data in memory, which is lost: it took longer than {}",
          ServerConfig.STOP_TIMEOUT);
    } catch (ExecutionException e) {
      log.error("memory could not be written to disk", e);
    }
  }
}
