package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.OutgoingData;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * An output in memory. Bytes wait until {@link #transmit} lets them go; like a channel it takes
 * more than its high-water mark but says that it is not writable.
 */
final class MemoryOutput implements Output {
  private final CountingAllocator alloc;
  private final long highWater;
  private final ArrayDeque<Object> waiting = new ArrayDeque<>();
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
  private long pending;
  private long taken;
  private long bytesPerFlush;
  private Runnable changed = () -> {};
  private byte[] binding = new byte[0];
  private boolean closed;
  private boolean aborted;

  MemoryOutput(CountingAllocator alloc, long highWater) {
    this.alloc = alloc;
    this.highWater = highWater;
  }

  static MemoryOutput unbounded() {
    return new MemoryOutput(new CountingAllocator(), Long.MAX_VALUE);
  }

  CountingAllocator counting() {
    return alloc;
  }

  @Override
  public ByteBufAllocator alloc() {
    return alloc;
  }

  @Override
  public void write(ByteBuf bytes) {
    if (closed || aborted) {
      bytes.release();
    } else {
      waiting.add(bytes);
      addPending(bytes.readableBytes());
    }
  }

  @Override
  public void write(OutgoingData data) {
    if (closed || aborted) {
      data.close();
    } else {
      waiting.add(data);
      addPending(data.length());
    }
  }

  /**
   * Makes this output report changes of {@link #isWritable} as a channel does, from within the
   * write or the flush that causes them, and lets at least so many bytes go with each flush.
   */
  void actAsChannel(long bytesAFlush, Runnable writabilityChanged) {
    bytesPerFlush = bytesAFlush;
    changed = writabilityChanged;
  }

  /** Pretends to be a channel that can be told from others. */
  void bindTo(byte[] channel) {
    binding = channel.clone();
  }

  @Override
  public byte[] binding() {
    return binding.clone();
  }

  private void addPending(long bytes) {
    boolean before = isWritable();
    pending += bytes;
    if (isWritable() != before) {
      changed.run();
    }
  }

  /** Lets at least so many waiting bytes go, whole writes at a time. */
  void transmit(long bytes) {
    long left = bytes;
    while (left > 0) {
      Object next = waiting.poll();
      if (next == null) {
        return;
      }
      if (next instanceof ByteBuf buffer) {
        byte[] copy = new byte[buffer.readableBytes()];
        buffer.readBytes(copy);
        buffer.release();
        sent.writeBytes(copy);
        left -= copy.length;
        taken += copy.length;
        addPending(-copy.length);
      } else if (next instanceof OutgoingData data) {
        for (ByteBuffer piece : data.buffers()) {
          byte[] copy = new byte[piece.remaining()];
          piece.duplicate().get(copy);
          sent.writeBytes(copy);
        }
        left -= data.length();
        taken += data.length();
        data.close();
        addPending(-data.length());
      }
    }
  }

  /** All that has been transmitted since the last call. */
  byte[] takeSent() {
    transmit(Long.MAX_VALUE);
    byte[] bytes = sent.toByteArray();
    sent.reset();
    return bytes;
  }

  void runTasks() {
    Runnable task;
    while ((task = tasks.poll()) != null) {
      task.run();
    }
  }

  @Override
  public void flush() {
    transmit(bytesPerFlush);
  }

  @Override
  public boolean isWritable() {
    return !closed && !aborted && pending < highWater;
  }

  @Override
  public long pendingBytes() {
    return pending;
  }

  @Override
  public long progress() {
    return taken;
  }

  @Override
  public void close() {
    closed = true;
  }

  @Override
  public void abort() {
    aborted = true;
    Object next;
    while ((next = waiting.poll()) != null) {
      if (next instanceof ByteBuf buffer) {
        buffer.release();
      } else if (next instanceof OutgoingData data) {
        data.close();
      }
    }
    pending = 0;
  }

  boolean isClosed() {
    return closed || aborted;
  }

  boolean isAborted() {
    return aborted;
  }

  @Override
  public Executor executor() {
    return tasks::add;
  }

  @Override
  public String peer() {
    return "test-peer";
  }
}
