package io.sluice.transport;

import java.nio.ByteBuffer;

/**
 * Bytes on their way out, with the lease that keeps them in place. Closed exactly once, by whoever
 * was last given it.
 */
public interface OutgoingData extends AutoCloseable {
  /** Direct buffers, to be sent in order from position to limit. Not to be used after close. */
  ByteBuffer[] buffers();

  /** The sum of what remains in the buffers at creation, in bytes. */
  int length();

  /** Ends the lease. May be called on any thread; never throws. */
  @Override
  void close();
}
