package io.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.util.Recycler;
import io.netty.util.internal.PlatformDependent;
import io.sluice.transport.OutgoingData;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * One range of {@link OutgoingData} as Netty wants it, used again once it is released: a piece of
 * 256 KiB can have dozens of ranges, and a view and its wrapper were two thirds of the garbage of a
 * server's fetches. epoll takes the address; where there is none (NIO without Unsafe), and for TLS,
 * a view is made.
 *
 * <p>Made for one event loop, which releases it; released elsewhere, it finds its way back.
 */
final class LentBytes extends UnwritableBytes {
  private static final Recycler<LentBytes> RECYCLER =
      new Recycler<LentBytes>() {
        @Override
        protected LentBytes newObject(Handle<LentBytes> handle) {
          return new LentBytes(handle);
        }
      };

  private final Recycler.Handle<LentBytes> handle;
  private @Nullable ByteBuffer memory;
  private int start;
  private int length;
  private @Nullable OutgoingData ends;
  private ChannelOutput.@Nullable Departures departures;
  private @Nullable ByteBuffer view;

  private LentBytes(Recycler.Handle<LentBytes> handle) {
    this.handle = handle;
  }

  /**
   * A buffer of one range, readable as a whole.
   *
   * @param closing whether the data is closed when the buffer is released; else it must stay until
   *     then
   * @param departures told when the buffer is released
   */
  static ByteBuf of(
      OutgoingData data, int range, boolean closing, ChannelOutput.Departures departures) {
    LentBytes bytes = RECYCLER.get();
    bytes.memory = data.memory(range);
    bytes.start = data.start(range);
    bytes.length = data.length(range);
    bytes.ends = closing ? data : null;
    bytes.departures = departures;
    bytes.resetRefCnt();
    bytes.maxCapacity(bytes.length);
    return bytes.setIndex(0, bytes.length).markReaderIndex().markWriterIndex();
  }

  @Override
  protected void deallocate() {
    OutgoingData ended = ends;
    ChannelOutput.Departures left = departures;
    memory = null;
    ends = null;
    departures = null;
    view = null;
    handle.recycle(this);
    if (left != null) {
      left.left();
    }
    if (ended != null) {
      ended.close();
    }
  }

  private ByteBuffer memory() {
    ByteBuffer lent = memory;
    if (lent == null) {
      throw new IllegalStateException("released");
    }
    return lent;
  }

  /** Big endian, and as long as this; its own position and limit stay as they are. */
  private ByteBuffer view() {
    ByteBuffer made = view;
    if (made == null) {
      made = memory().duplicate().clear().position(start).limit(start + length).slice();
      view = made;
    }
    return made;
  }

  @Override
  public int capacity() {
    return length;
  }

  @Override
  public boolean hasMemoryAddress() {
    return PlatformDependent.hasUnsafe();
  }

  @Override
  public long memoryAddress() {
    if (!hasMemoryAddress()) {
      throw new UnsupportedOperationException("no address without Unsafe");
    }
    return PlatformDependent.directBufferAddress(memory()) + start;
  }

  @Override
  public ByteBuffer nioBuffer(int index, int count) {
    checkIndex(index, count);
    return view().duplicate().position(index).limit(index + count).slice();
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int count) {
    return nioBuffer(index, count);
  }

  @Override
  protected byte _getByte(int index) {
    return view().get(index);
  }

  @Override
  protected short _getShort(int index) {
    return view().getShort(index);
  }

  @Override
  protected short _getShortLE(int index) {
    return Short.reverseBytes(_getShort(index));
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return (_getShort(index) & 0xFFFF) << 8 | (_getByte(index + 2) & 0xFF);
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return (_getShortLE(index) & 0xFFFF) | (_getByte(index + 2) & 0xFF) << 16;
  }

  @Override
  protected int _getInt(int index) {
    return view().getInt(index);
  }

  @Override
  protected int _getIntLE(int index) {
    return Integer.reverseBytes(_getInt(index));
  }

  @Override
  protected long _getLong(int index) {
    return view().getLong(index);
  }

  @Override
  protected long _getLongLE(int index) {
    return Long.reverseBytes(_getLong(index));
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf target, int to, int count) {
    checkDstIndex(index, count, to, target.capacity());
    target.setBytes(to, nioBuffer(index, count));
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] target, int to, int count) {
    checkDstIndex(index, count, to, target.length);
    nioBuffer(index, count).get(target, to, count);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer target) {
    target.put(nioBuffer(index, target.remaining()));
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int count) throws IOException {
    byte[] copy = new byte[count];
    getBytes(index, copy, 0, count);
    out.write(copy);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel out, int count) throws IOException {
    return out.write(nioBuffer(index, count));
  }

  @Override
  public int getBytes(int index, FileChannel out, long position, int count) throws IOException {
    return out.write(nioBuffer(index, count), position);
  }

  @Override
  public ByteBuf copy(int index, int count) {
    return alloc().directBuffer(count).writeBytes(nioBuffer(index, count));
  }
}
