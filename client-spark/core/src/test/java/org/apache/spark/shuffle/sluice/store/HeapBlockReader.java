package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.BlockReader;
import io.sluice.client.MissingBlocksException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** Blocks from a list; then, if something is missing, the error that says so. */
public final class HeapBlockReader implements BlockReader {
  private final Queue<HeapBlock> blocks;
  private final @Nullable MissingBlocksException missing;
  private final Runnable polled;
  private long bytesRead;
  private boolean closed;

  public HeapBlockReader(Iterable<HeapBlock> blocks, @Nullable MissingBlocksException missing) {
    this(blocks, missing, () -> {});
  }

  /**
   * @param polled told when somebody has taken what is here without waiting
   */
  HeapBlockReader(
      Iterable<HeapBlock> blocks, @Nullable MissingBlocksException missing, Runnable polled) {
    this.polled = polled;
    this.blocks = new ArrayDeque<>();
    blocks.forEach(this.blocks::add);
    this.missing = missing;
  }

  @Override
  public @Nullable Block next() {
    if (closed) {
      throw new IllegalStateException("closed");
    }
    HeapBlock block = blocks.poll();
    if (block == null && missing != null) {
      throw missing;
    }
    bytesRead += block == null ? 0 : block.stored().length;
    return block;
  }

  @Override
  public boolean hasLanded() {
    return !blocks.isEmpty();
  }

  @Override
  public @Nullable Block poll() {
    Block block = blocks.isEmpty() ? null : next();
    polled.run();
    return block;
  }

  @Override
  public long bytesRead() {
    return bytesRead;
  }

  @Override
  public long waitNanos() {
    return 0;
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public void close() {
    closed = true;
  }
}
