package io.sluice.server.segment;

import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Drives a store as a caller that waits for each step. */
public final class StoreDriver {
  private static final long DEADLINE_SECONDS = 60;

  private final SegmentStore store;

  public StoreDriver(SegmentStore store) {
    this.store = store;
  }

  /** A staging buffer, waited for. */
  public UnitBuilder stage(ShuffleKey shuffle) {
    while (true) {
      CompletableFuture<Void> available = new CompletableFuture<>();
      UnitBuilder unit = store.tryStage(shuffle, () -> available.complete(null));
      if (unit != null) {
        return unit;
      }
      await(available);
    }
  }

  public List<Extent> write(ShuffleKey shuffle, Consumer<UnitBuilder> content) {
    return await(startWrite(shuffle, content));
  }

  public CompletableFuture<List<Extent>> startWrite(
      ShuffleKey shuffle, Consumer<UnitBuilder> content) {
    UnitBuilder unit = stage(shuffle);
    content.accept(unit);
    return startWrite(unit);
  }

  public CompletableFuture<List<Extent>> startWrite(UnitBuilder unit) {
    CompletableFuture<List<Extent>> written = new CompletableFuture<>();
    store.write(
        unit,
        (extents, failure) -> {
          if (extents != null) {
            written.complete(extents);
          } else {
            written.completeExceptionally(
                failure != null ? failure : new AssertionError("neither extents nor failure"));
          }
        });
    return written;
  }

  public ByteBuffer read(Extent extent) {
    return read(extent, 0, extent.length());
  }

  public ByteBuffer read(Extent extent, long offset, int length) {
    return await(startRead(extent, offset, length));
  }

  public CompletableFuture<ByteBuffer> startRead(Extent extent, long offset, int length) {
    ByteBuffer target = ByteBuffer.allocateDirect(length);
    CompletableFuture<ByteBuffer> done = new CompletableFuture<>();
    store.read(
        ExtentPart.all(extent),
        (int) offset,
        target,
        failure -> {
          if (failure == null) {
            done.complete(target.flip());
          } else {
            done.completeExceptionally(failure);
          }
        });
    return done;
  }

  /** Attempts that are whole, as {@link TestBlocks#whole} shows them. */
  public List<String> whole(ShuffleKey shuffle) {
    return TestBlocks.whole(await(startTally(shuffle)), 0);
  }

  public CompletableFuture<MapTally> startTally(ShuffleKey shuffle) {
    CompletableFuture<MapTally> done = new CompletableFuture<>();
    store.tally(
        shuffle,
        1 << 20,
        (tally, failure) -> {
          if (tally != null) {
            done.complete(tally);
          } else {
            done.completeExceptionally(
                failure != null ? failure : new AssertionError("neither tally nor failure"));
          }
        });
    return done;
  }

  /** The result, or the failure the store gave, thrown. */
  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no answer within the deadline", e);
    }
  }
}
