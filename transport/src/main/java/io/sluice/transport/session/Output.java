package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.OutgoingData;
import java.util.concurrent.Executor;

/**
 * Where a protocol's bytes go: a socket, or a simulated network. On the connection's event loop
 * only, unless stated. Bytes leave in the order of the writes. Writes after the end are dropped,
 * and what they carry is released.
 */
public interface Output {
  /** For frames; never null, direct. */
  ByteBufAllocator alloc();

  /** Takes ownership of the buffer and sends what is readable in it. */
  void write(ByteBuf bytes);

  /** Takes ownership of the data and closes it when it has left or never will. */
  void write(OutgoingData data);

  /** Pushes out what was written. */
  void flush();

  /** False while more than the high-water mark is waiting to leave. */
  boolean isWritable();

  /** Bytes written that have not left. */
  long pendingBytes();

  /**
   * A mark that stays the same while none of the {@link #pendingBytes} leaves, whatever is written
   * behind them, and is another one afterwards.
   */
  long progress();

  /**
   * Sends what was written, ends the output, discards further input until the peer ends its own,
   * and closes. The protocol calls {@link #abort} if that takes too long.
   */
  void close();

  /** Closes at once; what has not left is dropped. Harmless when closed. */
  void abort();

  /** Runs tasks on the connection's event loop. Any thread. */
  Executor executor();

  /**
   * What tells this channel from any other, for proofs to be bound to it, once it can be read from:
   * the hash of the server's certificate where TLS is spoken ({@code tls-server-end-point} of RFC
   * 5929), else empty.
   */
  default byte[] binding() {
    return new byte[0];
  }

  /** The peer's address, for logs. Any thread. */
  String peer();
}
