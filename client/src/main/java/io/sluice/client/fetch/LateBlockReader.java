package io.sluice.client.fetch;

import io.sluice.client.BlockReader;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.TaskSignal;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A reader that must not begin before the placement is as new as what it is to read: the first call
 * waits for it, then another reader does the work.
 */
public final class LateBlockReader implements BlockReader {
  private final CompletableFuture<ShufflePlacement> placement;
  private final Function<ShufflePlacement, BlockReader> open;
  private final TaskSignal signal;
  private final Clock clock;
  private @Nullable BlockReader reader;
  private long waitNanos;
  private boolean closed;

  /**
   * @param placement asked for already; completes in bounded time
   * @param open makes the reader that does the work, which this one closes
   */
  public LateBlockReader(
      CompletionStage<? extends ShufflePlacement> placement,
      Function<ShufflePlacement, BlockReader> open,
      TaskSignal signal,
      Clock clock) {
    this.placement = new CompletableFuture<>();
    this.open = open;
    this.signal = signal;
    this.clock = clock;
    placement.whenComplete(
        (come, failure) -> {
          if (failure == null) {
            this.placement.complete(come);
          } else {
            this.placement.completeExceptionally(failure);
          }
          signal.signal();
        });
  }

  @Override
  public @Nullable Block next() throws InterruptedException {
    if (closed) {
      return null;
    }
    BlockReader current = reader;
    if (current == null) {
      current = open.apply(await());
      reader = current;
    }
    return current.next();
  }

  @Override
  public boolean hasLanded() {
    return reader != null && reader.hasLanded();
  }

  @Override
  public @Nullable Block poll() {
    return reader == null ? null : reader.poll();
  }

  private ShufflePlacement await() throws InterruptedException {
    long start = clock.nanoTime();
    try {
      while (!placement.isDone()) {
        signal.await();
      }
      return placement.join();
    } catch (CompletionException e) {
      throw failure(e.getCause() == null ? e : e.getCause());
    } finally {
      waitNanos += clock.nanoTime() - start;
    }
  }

  private static SluiceException failure(Throwable cause) {
    Throwable root =
        cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
    ErrorCode code =
        root instanceof SluiceException
            ? ((SluiceException) root).code()
            : ErrorCode.INTERNAL_ERROR;
    return new SluiceException(
        code, "the placement to read from cannot be had: " + root.getMessage(), root);
  }

  @Override
  public long bytesRead() {
    return reader == null ? 0 : reader.bytesRead();
  }

  @Override
  public long waitNanos() {
    return waitNanos + (reader == null ? 0 : reader.waitNanos());
  }

  @Override
  public void close() {
    closed = true;
    if (reader != null) {
      reader.close();
    }
  }
}
