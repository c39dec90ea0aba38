package io.sluice.server;

import io.sluice.server.config.ServerConfig;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last flush of a server: everything in memory, before a deadline. */
final class FinalFlush {
  private static final Logger log = LoggerFactory.getLogger(FinalFlush.class);

  private final ServerCore core;

  FinalFlush(ServerCore core) {
    this.core = core;
  }

  /**
   * Refuses blocks from now on and waits until those there are have been written.
   *
   * @return about how many bytes were left in memory; empty if nothing was
   * @throws InterruptedException if interrupted; what is in memory stays there
   */
  OptionalLong run(long nanos) throws InterruptedException {
    CompletableFuture<Boolean> drained = core.drain();
    try {
      if (drained.get(nanos, TimeUnit.NANOSECONDS)) {
        log.info("everything in memory has reached a disk");
        return OptionalLong.empty();
      }
      return left("no disk took it", null);
    } catch (TimeoutException e) {
      return left("it took longer than " + ServerConfig.STOP_TIMEOUT, null);
    } catch (ExecutionException e) {
      return left("writing it failed unexpectedly", e.getCause());
    }
  }

  private OptionalLong left(String why, @Nullable Throwable cause) {
    long bytes = core.unsavedBytes();
    log.error("stopped with {} bytes in memory, which are lost: {}", bytes, why, cause);
    return OptionalLong.of(bytes);
  }
}
