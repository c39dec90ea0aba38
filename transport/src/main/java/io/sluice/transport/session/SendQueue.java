package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.sluice.transport.OutgoingData;
import java.util.ArrayDeque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Bulk on its way out, held back so that small frames written meanwhile overtake it: the output is
 * fed only while it is below its high-water mark. First in, first out.
 *
 * <p>Bounded by the session, which must not add while {@link #isWritable} is false beyond what it
 * had begun; the queue counts bytes for that.
 */
final class SendQueue implements AutoCloseable {
  /** Bytes that may wait here before the session is told to pause: four data chunks. */
  static final long HIGH_WATER = 1 << 20;

  private final Output output;
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long bytes;

  SendQueue(Output output) {
    this.output = output;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  boolean isWritable() {
    return bytes < HIGH_WATER && output.isWritable();
  }

  /** Takes ownership of the frame. */
  void add(int subject, ByteBuf frame) {
    add(new Entry(subject, frame, null, null));
  }

  /** Takes ownership of both. */
  void add(int subject, ByteBuf header, ByteBuf body) {
    add(new Entry(subject, header, body, null));
  }

  /** Takes ownership of both. */
  void add(int subject, ByteBuf header, OutgoingData body) {
    add(new Entry(subject, header, null, body));
  }

  private void add(Entry entry) {
    if (entries.isEmpty() && output.isWritable()) {
      entry.send(output);
    } else {
      entries.add(entry);
      bytes += entry.length;
    }
  }

  /** Feeds the output. */
  void pump() {
    while (output.isWritable()) {
      Entry entry = entries.poll();
      if (entry == null) {
        return;
      }
      bytes -= entry.length;
      entry.send(output);
    }
  }

  /** Feeds the output with everything, for an orderly end. */
  void drain() {
    Entry entry;
    while ((entry = entries.poll()) != null) {
      bytes -= entry.length;
      entry.send(output);
    }
  }

  /** Drops what waits for one stream. */
  void drop(int subject) {
    Iterator<Entry> all = entries.iterator();
    while (all.hasNext()) {
      Entry entry = all.next();
      if (entry.subject == subject) {
        all.remove();
        bytes -= entry.length;
        entry.close();
      }
    }
  }

  @Override
  public void close() {
    Entry entry;
    while ((entry = entries.poll()) != null) {
      entry.close();
    }
    bytes = 0;
  }

  private static final class Entry {
    final int subject;
    final ByteBuf frame;
    final @Nullable ByteBuf body;
    final @Nullable OutgoingData data;
    final int length;

    Entry(int subject, ByteBuf frame, @Nullable ByteBuf body, @Nullable OutgoingData data) {
      this.subject = subject;
      this.frame = frame;
      this.body = body;
      this.data = data;
      this.length =
          frame.readableBytes()
              + (body == null ? 0 : body.readableBytes())
              + (data == null ? 0 : data.length());
    }

    void send(Output output) {
      output.write(frame);
      if (body != null) {
        output.write(body);
      }
      if (data != null) {
        output.write(data);
      }
    }

    void close() {
      frame.release();
      if (body != null) {
        body.release();
      }
      if (data != null) {
        data.close();
      }
    }
  }
}
