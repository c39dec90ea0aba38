package io.sluice.transport.netty;

import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.channels.ScatteringByteChannel;
import org.jspecify.annotations.Nullable;

/** The half of a buffer that must not be: others read the same memory, so nothing is written. */
abstract class UnwritableBytes extends AbstractReferenceCountedByteBuf {
  UnwritableBytes() {
    super(Integer.MAX_VALUE);
  }

  @Override
  public final boolean isReadOnly() {
    return true;
  }

  @Override
  public final boolean isDirect() {
    return true;
  }

  @Override
  public final boolean hasArray() {
    return false;
  }

  @Override
  public final byte[] array() {
    throw new UnsupportedOperationException("direct memory");
  }

  @Override
  public final int arrayOffset() {
    throw new UnsupportedOperationException("direct memory");
  }

  @Override
  public final @Nullable ByteBuf unwrap() {
    return null;
  }

  /** For copies. */
  @Override
  public final ByteBufAllocator alloc() {
    return UnpooledByteBufAllocator.DEFAULT;
  }

  @SuppressWarnings({"deprecation", "InlineMeSuggester"}) // Netty's buffers have it still.
  @Override
  @Deprecated
  public final ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public final int nioBufferCount() {
    return 1;
  }

  @Override
  public final ByteBuffer[] nioBuffers(int index, int length) {
    return new ByteBuffer[] {nioBuffer(index, length)};
  }

  @Override
  public final ByteBuf capacity(int newCapacity) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setByte(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setShort(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setShortLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setMedium(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setMediumLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setInt(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setIntLE(int index, int value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setLong(int index, long value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected final void _setLongLE(int index, long value) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public final ByteBuf setBytes(int index, ByteBuf source, int from, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public final ByteBuf setBytes(int index, byte[] source, int from, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public final ByteBuf setBytes(int index, ByteBuffer source) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public final int setBytes(int index, InputStream in, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public final int setBytes(int index, ScatteringByteChannel in, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public final int setBytes(int index, FileChannel in, long position, int length) {
    throw new ReadOnlyBufferException();
  }
}
