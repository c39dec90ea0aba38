package io.sluice.server.cache;

import java.nio.ByteBuffer;

/**
 * One who wants a copy of everything.
 *
 * @param buffer all of it
 */
record CopyTarget(ByteBuffer buffer) implements ReadTarget {
  @Override
  public int length() {
    return buffer.capacity();
  }

  @Override
  public boolean takesLeases() {
    return false;
  }

  @Override
  public ByteBuffer room(int offset, int length) {
    return buffer.slice(offset, length);
  }

  @Override
  public void lease(int offset, ByteBuffer bytes, Lease lease) {
    throw new IllegalStateException("a lease for one who takes none");
  }
}
