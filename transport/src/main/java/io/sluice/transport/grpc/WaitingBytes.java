package io.sluice.transport.grpc;

import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.netty.buffer.ByteBuf;
import io.sluice.transport.OutgoingData;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that gRPC has not been given yet, first in, first out, and the message they leave in. Owns
 * what it holds. Confined to its event loop.
 *
 * <p>gRPC takes a message as a stream that it empties at once into a buffer of its own, through a
 * byte array: direct memory is copied twice, and only the first of the copies misses the cache.
 */
final class WaitingBytes implements AutoCloseable {
  private final byte[] scratch;
  private final ArrayDeque<Piece> pieces = new ArrayDeque<>();
  private final Message message = new Message();
  private long bytes;

  /**
   * @param scratch shared with all that run on the same event loop
   */
  WaitingBytes(byte[] scratch) {
    this.scratch = scratch;
  }

  long bytes() {
    return bytes;
  }

  /** Takes ownership. */
  void add(ByteBuf buffer) {
    add(new Piece(buffer.nioBuffers(), buffer, null), buffer.readableBytes());
  }

  /** Takes ownership. */
  void add(OutgoingData data) {
    ByteBuffer[] lent = data.buffers();
    ByteBuffer[] own = new ByteBuffer[lent.length];
    for (int i = 0; i < own.length; i++) {
      own[i] = lent[i].duplicate();
    }
    add(new Piece(own, null, data), data.length());
  }

  private void add(Piece piece, int length) {
    if (length == 0) {
      piece.close();
      return;
    }
    pieces.add(piece);
    bytes += length;
  }

  /**
   * The next bytes as a message, which takes them when it is drained. One at a time.
   *
   * @param most at least 1
   */
  InputStream next(int most) {
    message.left = (int) Math.min(most, bytes);
    return message;
  }

  private void drain(OutputStream out, int length) throws IOException {
    int left = length;
    while (left > 0) {
      Piece piece = pieces.element();
      ByteBuffer buffer = piece.current();
      int part = Math.min(Math.min(left, buffer.remaining()), scratch.length);
      buffer.get(scratch, 0, part);
      out.write(scratch, 0, part);
      left -= part;
      bytes -= part;
      if (piece.isEmpty()) {
        pieces.remove().close();
      }
    }
  }

  /** Drops everything. */
  @Override
  public void close() {
    bytes = 0;
    Piece piece;
    while ((piece = pieces.poll()) != null) {
      piece.close();
    }
  }

  /** A buffer or a lease, emptied from its start. */
  private static final class Piece {
    private final ByteBuffer[] buffers;
    private final @Nullable ByteBuf buffer;
    private final @Nullable OutgoingData data;
    private int next;

    /**
     * @param buffers whose positions move
     */
    Piece(ByteBuffer[] buffers, @Nullable ByteBuf buffer, @Nullable OutgoingData data) {
      this.buffers = buffers;
      this.buffer = buffer;
      this.data = data;
    }

    /** The buffer to go on with; not empty unless all are. */
    ByteBuffer current() {
      while (!buffers[next].hasRemaining() && next < buffers.length - 1) {
        next++;
      }
      return buffers[next];
    }

    boolean isEmpty() {
      return !current().hasRemaining();
    }

    void close() {
      if (buffer != null) {
        buffer.release();
      }
      if (data != null) {
        data.close();
      }
    }
  }

  /** What gRPC sees of the bytes: how many there are, and where to have them copied to. */
  private final class Message extends InputStream implements KnownLength, Drainable {
    private int left;

    @Override
    public int available() {
      return left;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      int drained = left;
      left = 0;
      drain(target, drained);
      return drained;
    }

    @Override
    public int read() {
      throw undrained();
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      throw undrained();
    }

    private UnsupportedOperationException undrained() {
      return new UnsupportedOperationException("gRPC drains what can be drained");
    }
  }
}
