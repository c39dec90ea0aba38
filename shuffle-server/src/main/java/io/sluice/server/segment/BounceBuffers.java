package io.sluice.server.segment;

import io.sluice.server.disk.AlignedBuffers;
import io.sluice.server.disk.DiskOptions;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/** One aligned buffer for each reading thread. Thread-safe. */
final class BounceBuffers {
  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();

  BounceBuffers(int readThreads) {
    for (int i = 0; i < readThreads; i++) {
      free.add(AlignedBuffers.allocate(DiskOptions.BOUNCE_LENGTH));
    }
  }

  /** A buffer with undefined contents, to be {@link #giveBack given back} once. */
  synchronized ByteBuffer take() {
    return free.remove();
  }

  synchronized void giveBack(ByteBuffer buffer) {
    free.add(buffer);
  }
}
