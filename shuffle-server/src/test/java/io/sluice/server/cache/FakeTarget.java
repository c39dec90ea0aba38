package io.sluice.server.cache;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Bytes of a fake source, copied or leased. */
class FakeTarget implements ReadTarget {
  private static final long NOT_READ = -1;

  private final ByteBuffer own;
  private final boolean leases;
  private final List<Leased> leased = new ArrayList<>();
  private long source;
  private long position = NOT_READ;

  private record Leased(int offset, ByteBuffer bytes, Lease lease) {}

  FakeTarget(int length, boolean leases) {
    this.own = ByteBuffer.allocateDirect(length);
    this.leases = leases;
  }

  @Override
  public int length() {
    return own.capacity();
  }

  @Override
  public boolean takesLeases() {
    return leases;
  }

  @Override
  public ByteBuffer room(int offset, int length) {
    return own.slice(offset, length);
  }

  @Override
  public synchronized void lease(int offset, ByteBuffer bytes, Lease lease) {
    leased.add(new Leased(offset, bytes, lease));
  }

  synchronized int leases() {
    return leased.size();
  }

  /** Has the right bytes; so it must have when it gives back what it leased. */
  synchronized void check(long ofSource, long atPosition) {
    source = ofSource;
    position = atPosition;
    ByteBuffer all = own.duplicate();
    for (Leased part : leased) {
      all.put(part.offset, part.bytes, 0, part.bytes.capacity());
    }
    for (int i = 0; i < all.capacity(); i++) {
      if (all.get(i) != FakeSource.byteAt(source, position + i)) {
        throw new AssertionError("wrong byte at " + (position + i));
      }
    }
  }

  /** Ends all leases; what they kept must be what it was. */
  void giveBack() {
    List<Leased> ended;
    synchronized (this) {
      if (position != NOT_READ) {
        check(source, position);
      }
      ended = List.copyOf(leased);
      leased.clear();
    }
    ended.forEach(part -> part.lease.end());
  }
}
