package io.sluice.server.cache;

import java.nio.ByteBuffer;

/**
 * Where a reader wants bytes: copied into memory of its own, or where they were read, leased. Parts
 * of one read come on any threads, several at a time, never two of the same bytes; all before the
 * read ends. None of the methods may throw.
 */
public interface ReadTarget {
  /** Bytes that are wanted. */
  int length();

  /** Whether {@link #lease} may be called at all. */
  boolean takesLeases();

  /**
   * Direct memory of the target's own for a copy of some of the bytes.
   *
   * @param offset from the first that is wanted
   */
  ByteBuffer room(int offset, int length);

  /**
   * Takes some of the bytes where they are.
   *
   * @param offset from the first that is wanted
   * @param bytes all of this buffer, by absolute positions only; not to be used after the lease
   * @param lease the target's from here on
   */
  void lease(int offset, ByteBuffer bytes, Lease lease);

  /**
   * Keeps bytes in their window. Ended exactly once, by whoever has it, also if the read failed.
   */
  @FunctionalInterface
  interface Lease {
    /**
     * On any thread; does not wait.
     *
     * @throws IllegalStateException if it has ended
     */
    void end();
  }

  /** Copies into a buffer, from its position to its limit, neither of which changes. */
  static ReadTarget copyInto(ByteBuffer buffer) {
    return new CopyTarget(buffer.slice());
  }
}
