package io.sluice.transport;

import java.nio.ByteBuffer;

/**
 * Bytes on their way out, with the lease that keeps them in place. Closed exactly once, by whoever
 * was last given it.
 *
 * <p>They can be had as buffers, or as ranges of memory that others use as well, which takes no
 * object for each.
 */
public interface OutgoingData extends AutoCloseable {
  /** Direct buffers, to be sent in order from position to limit. Not to be used after close. */
  ByteBuffer[] buffers();

  /** The sum of what remains in the buffers at creation, in bytes. */
  int length();

  /** How many ranges the same bytes are, to be sent in order. */
  default int ranges() {
    return buffers().length;
  }

  /**
   * Direct memory that a range lies in, to be read by absolute positions only: it is others' too,
   * and its own position says nothing. Not to be used after close.
   */
  default ByteBuffer memory(int range) {
    return buffers()[range];
  }

  /** Where in its memory a range begins. */
  default int start(int range) {
    return buffers()[range].position();
  }

  /** Of one range, in bytes. */
  default int length(int range) {
    return buffers()[range].remaining();
  }

  /** Ends the lease. May be called on any thread; never throws. */
  @Override
  void close();
}
