package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.frame.FrameType;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Bulk frames held back, so that small frames written meanwhile overtake them, and small frames
 * that may not overtake. First in, first out; owns what it holds. The session keeps bulk bounded by
 * pausing when told to; small frames answer what the peer asks, so that only the end of the
 * connection bounds them. Bytes are counted for both.
 */
final class SendQueue implements AutoCloseable {
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long bytes;
  private long frameBytes;

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /** Bytes of all that waits: the bodies of bulk frames, and what small frames hold. */
  long bytes() {
    return bytes;
  }

  /** Bytes of memory that waiting small frames hold. */
  long frameBytes() {
    return frameBytes;
  }

  void add(Entry entry) {
    entries.add(entry);
    count(entry, 1);
  }

  @Nullable Entry poll() {
    Entry entry = entries.poll();
    if (entry != null) {
      count(entry, -1);
    }
    return entry;
  }

  private void count(Entry entry, int sign) {
    bytes += (long) sign * entry.length;
    if (entry.type == null) {
      frameBytes += (long) sign * entry.length;
    }
  }

  /** Whether anything waits of one handle or stream. */
  boolean holds(int subject) {
    for (Entry entry : entries) {
      if (entry.subject == subject) {
        return true;
      }
    }
    return false;
  }

  /** Drops what waits for one stream. */
  void drop(int stream) {
    Iterator<Entry> all = entries.iterator();
    while (all.hasNext()) {
      Entry entry = all.next();
      if (entry.subject == stream) {
        all.remove();
        count(entry, -1);
        entry.close();
      }
    }
  }

  @Override
  public void close() {
    Entry entry;
    while ((entry = poll()) != null) {
      entry.close();
    }
  }

  /** A frame: either a bulk body whose header is yet to be written, or a small frame as it is. */
  static final class Entry {
    final @Nullable FrameType type;
    final int subject;
    final int argument;
    final int length;
    final @Nullable ByteBuf bytes;
    final @Nullable OutgoingData data;

    private Entry(
        @Nullable FrameType type,
        int subject,
        int argument,
        int length,
        @Nullable ByteBuf bytes,
        @Nullable OutgoingData data) {
      this.type = type;
      this.subject = subject;
      this.argument = argument;
      this.length = length;
      this.bytes = bytes;
      this.data = data;
    }

    static Entry push(int handle, int blocks, ByteBuf body) {
      return new Entry(FrameType.PUSH, handle, blocks, body.readableBytes(), body, null);
    }

    static Entry push(int handle, int blocks, OutgoingData body) {
      return new Entry(FrameType.PUSH, handle, blocks, body.length(), null, body);
    }

    static Entry data(int stream, int partition, OutgoingData body) {
      return new Entry(FrameType.DATA, stream, partition, body.length(), null, body);
    }

    /**
     * A small frame that may not overtake; it may be appended to while it waits, up to its
     * capacity, which counts as its length.
     */
    static Entry frame(int subject, ByteBuf frame) {
      return new Entry(null, subject, 0, frame.capacity(), frame, null);
    }

    void close() {
      if (bytes != null) {
        bytes.release();
      }
      if (data != null) {
        data.close();
      }
    }
  }
}
