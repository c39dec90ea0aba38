package io.sluice.simulation.network;

import io.netty.buffer.ByteBuf;
import io.sluice.transport.OutgoingData;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * What one side has written and the network has not taken: as in a real socket's queue, the bytes
 * stay where the writer has them, so a lease that ends too early shows as wrong bytes.
 */
final class Outbound {
  private final ArrayDeque<Entry> entries = new ArrayDeque<>();
  private long bytes;
  private long flushed;
  private long taken;

  /** Bytes written and not taken. */
  long bytes() {
    return bytes;
  }

  /** Of those, what may be taken. */
  long flushed() {
    return flushed;
  }

  /** Bytes that the network has taken since the beginning. */
  long taken() {
    return taken;
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  void add(ByteBuf buffer) {
    add(new Entry(buffer.nioBuffers(), buffer::release));
  }

  void add(OutgoingData data) {
    add(new Entry(data.buffers(), data::close));
  }

  private void add(Entry entry) {
    entries.add(entry);
    bytes += entry.left;
  }

  void flush() {
    flushed = bytes;
    dropTaken();
  }

  /** Takes bytes, of which at least so many must be flushed. */
  byte[] take(int count) {
    byte[] gone = new byte[count];
    int at = 0;
    while (at < count) {
      Entry entry = entries.element();
      at += entry.take(gone, at);
      dropTaken();
    }
    bytes -= count;
    flushed -= count;
    taken += count;
    return gone;
  }

  // An empty entry is over as soon as its turn has come.
  private void dropTaken() {
    Entry first;
    while ((first = entries.peek()) != null && first.left == 0) {
      entries.remove();
      first.release.run();
    }
  }

  /** Releases everything. */
  void drop() {
    Entry entry;
    while ((entry = entries.poll()) != null) {
      entry.release.run();
    }
    bytes = 0;
    flushed = 0;
  }

  private static final class Entry {
    private final ByteBuffer[] buffers;
    private final Runnable release;
    private int left;
    private int current;

    Entry(ByteBuffer[] buffers, Runnable release) {
      this.buffers = new ByteBuffer[buffers.length];
      this.release = release;
      for (int i = 0; i < buffers.length; i++) {
        this.buffers[i] = buffers[i].duplicate();
        left += buffers[i].remaining();
      }
    }

    int take(byte[] target, int at) {
      int taken = 0;
      while (at + taken < target.length && left > taken) {
        ByteBuffer buffer = buffers[current];
        int part = Math.min(buffer.remaining(), target.length - at - taken);
        buffer.get(target, at + taken, part);
        taken += part;
        if (!buffer.hasRemaining()) {
          current++;
        }
      }
      left -= taken;
      return taken;
    }
  }
}
