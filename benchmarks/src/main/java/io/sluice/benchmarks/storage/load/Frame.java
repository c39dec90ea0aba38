package io.sluice.benchmarks.storage.load;

import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;

/**
 * What one read of a socket would bring: a piece of a stream of blocks of one shuffle. A block may
 * go on in the next frame, but a header never does.
 */
final class Frame {
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(TransportLimits.RECEIVE_BUFFER_BYTES);
  private int handle;

  /** Begins empty, over random bytes, which payloads may keep. */
  Frame(RandomBytes random) {
    random.fill(bytes);
    bytes.limit(0);
  }

  /** Empties it, for blocks of a shuffle. */
  void begin(int shuffleHandle) {
    bytes.clear();
    handle = shuffleHandle;
  }

  /** Filled from 0 to its position; then, flipped, read from its position to its limit. */
  ByteBuffer bytes() {
    return bytes;
  }

  boolean hasRemaining() {
    return bytes.hasRemaining();
  }

  int handle() {
    return handle;
  }
}
