package io.sluice.server.fetch;

import io.sluice.server.cache.ReadTarget;
import io.sluice.transport.OutgoingData;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What was read at a time: a pooled buffer with what was copied, and leases of what was not. The
 * buffer goes back to its pool, and the leases end, when neither the reader nor any {@link #piece}
 * has a use for it.
 */
final class ReadBuffer implements ReadTarget {
  private final ReadBufferPool pool;
  private final ByteBuffer own;
  private final AtomicInteger uses = new AtomicInteger(1);
  // By offset. Guarded by itself, as parts come on any thread.
  private final List<Leased> leased = new ArrayList<>(2);
  private int length;

  /** A stretch that lies where it was read. */
  private record Leased(int offset, ByteBuffer bytes, Lease lease) {
    int end() {
      return offset + bytes.capacity();
    }
  }

  /** A stretch of memory, to be read by absolute positions. */
  record Range(ByteBuffer memory, int start, int length) {}

  ReadBuffer(ReadBufferPool pool, ByteBuffer own) {
    this.pool = pool;
    this.own = own;
  }

  /** To be called once, before it is read into. */
  void want(int bytes) {
    length = bytes;
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public boolean takesLeases() {
    return true;
  }

  @Override
  public ByteBuffer room(int offset, int size) {
    return own.slice(offset, size);
  }

  @Override
  public void lease(int offset, ByteBuffer bytes, Lease lease) {
    synchronized (leased) {
      int place = leased.size();
      while (place > 0 && leased.get(place - 1).offset > offset) {
        place--;
      }
      leased.add(place, new Leased(offset, bytes, lease));
    }
  }

  /** Where some of what was read lies, in order. */
  List<Range> ranges(int offset, int size) {
    List<Range> ranges = new ArrayList<>(1);
    int at = offset;
    int end = offset + size;
    synchronized (leased) {
      for (Leased next : leased) {
        int copied = Math.min(end, next.offset) - at;
        if (copied > 0) {
          ranges.add(new Range(own, at, copied));
          at += copied;
        }
        int kept = Math.min(end, next.end()) - at;
        if (at >= next.offset && kept > 0) {
          ranges.add(new Range(next.bytes, at - next.offset, kept));
          at += kept;
        }
      }
    }
    if (at < end) {
      ranges.add(new Range(own, at, end - at));
    }
    return ranges;
  }

  /** Part of what was read, with a use of its own. */
  OutgoingData piece(int offset, int size) {
    uses.incrementAndGet();
    return new Piece(this, ranges(offset, size), size);
  }

  void release() {
    int left = uses.decrementAndGet();
    if (left < 0) {
      throw new IllegalStateException("read buffer released twice");
    }
    if (left == 0) {
      // Nothing is read into it any more, so nothing is added.
      leased.forEach(part -> part.lease.end());
      pool.giveBack(own);
    }
  }

  private record Piece(ReadBuffer owner, List<Range> parts, int length) implements OutgoingData {
    @Override
    public ByteBuffer[] buffers() {
      return parts.stream()
          .map(part -> part.memory.slice(part.start, part.length))
          .toArray(ByteBuffer[]::new);
    }

    @Override
    public int ranges() {
      return parts.size();
    }

    @Override
    public ByteBuffer memory(int range) {
      return parts.get(range).memory;
    }

    @Override
    public int start(int range) {
      return parts.get(range).start;
    }

    @Override
    public int length(int range) {
      return parts.get(range).length;
    }

    @Override
    public void close() {
      owner.release();
    }
  }
}
