package io.sluice.server.segment;

import io.sluice.server.disk.AlignedBuffers;
import io.sluice.server.disk.DiskOptions;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** One aligned buffer for each reading thread, made when first needed and kept. Thread-safe. */
final class BounceBuffers {
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

  /**
   * A buffer with undefined contents, to be {@link #giveBack given back} once. There are never more
   * than threads that read at once.
   */
  ByteBuffer take() {
    synchronized (this) {
      ByteBuffer buffer = free.poll();
      if (buffer != null) {
        return buffer;
      }
    }
    return AlignedBuffers.allocate(DiskOptions.BOUNCE_LENGTH);
  }

  synchronized void giveBack(ByteBuffer buffer) {
    free.add(buffer);
  }
}
