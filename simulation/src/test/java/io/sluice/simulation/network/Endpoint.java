package io.sluice.simulation.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.simulation.memory.DirectMemory;
import io.sluice.simulation.time.SimLoop;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.session.Output;
import io.sluice.transport.session.Protocol;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One side's socket and what drives its protocol: what a Netty channel and its handler are in a
 * real process, with the same order of calls.
 */
final class Endpoint implements Output {
  private final Host host;
  private final SimLoop loop;
  private final Direction sending;
  private final Connection connection;
  private final String peer;
  private final int highWater;
  private @Nullable Protocol protocol;
  private @Nullable Cancellable ticks;
  private boolean writable = true;
  private boolean closed;

  Endpoint(
      Host host,
      SimLoop loop,
      Direction sending,
      Connection connection,
      String peer,
      int highWater) {
    this.host = host;
    this.loop = loop;
    this.sending = sending;
    this.connection = connection;
    this.peer = peer;
    this.highWater = highWater;
  }

  /** Begins; on the loop. */
  void start(Protocol newProtocol, long tickNanos) {
    protocol = newProtocol;
    scheduleTick(tickNanos);
    newProtocol.start(loop.clock().nanoTime());
  }

  private void scheduleTick(long tickNanos) {
    ticks =
        loop.schedule(
            tickNanos,
            () -> {
              scheduleTick(tickNanos);
              protocol().tick(loop.clock().nanoTime());
            });
  }

  private Protocol protocol() {
    if (protocol == null) {
      throw new IllegalStateException("not started");
    }
    return protocol;
  }

  Host host() {
    return host;
  }

  SimLoop loop() {
    return loop;
  }

  boolean isClosed() {
    return closed;
  }

  // --------------------------------------------------------------------------- from the network

  /** Bytes of one read, in pieces. */
  void read(byte[][] pieces) {
    for (byte[] piece : pieces) {
      if (closed) {
        return;
      }
      ByteBuffer buffer = host.receiveBuffer(piece.length);
      int offset = buffer.capacity() - piece.length;
      buffer.put(offset, piece);
      protocol().receive(buffer, offset, piece.length);
      DirectMemory.spoil(buffer, offset, piece.length);
    }
    if (!closed) {
      protocol().readComplete();
    }
  }

  /** The peer has ended its output: as in the real handler, the connection is closed. */
  void peerFinished() {
    close(null);
  }

  void reset(String why) {
    close(new IOException(why));
  }

  /** The network has taken bytes. */
  void drained() {
    if (!writable && sending.outbound().bytes() <= highWater / 2) {
      writable = true;
      protocol().writabilityChanged();
    }
  }

  /** The process is dead; so is its socket. */
  void die() {
    closed = true;
    if (ticks != null) {
      ticks.cancel();
    }
  }

  private void close(@Nullable IOException cause) {
    if (closed) {
      return;
    }
    closed = true;
    if (ticks != null) {
      ticks.cancel();
    }
    connection.closedBy(this);
    loop.process()
        .events()
        .after(
            1,
            this,
            "disconnected",
            () -> loop.process().run(() -> protocol().disconnected(cause)));
  }

  // --------------------------------------------------------------------------- from the protocol

  @Override
  public ByteBufAllocator alloc() {
    return host.allocator();
  }

  @Override
  public void write(ByteBuf bytes) {
    if (closed) {
      bytes.release();
      return;
    }
    sending.outbound().add(bytes);
    written();
  }

  @Override
  public void write(OutgoingData data) {
    if (closed) {
      data.close();
      return;
    }
    sending.outbound().add(data);
    written();
  }

  private void written() {
    if (writable && sending.outbound().bytes() > highWater) {
      writable = false;
      protocol().writabilityChanged();
    }
  }

  @Override
  public void flush() {
    if (!closed) {
      sending.flush();
    }
  }

  @Override
  public boolean isWritable() {
    return writable && !closed;
  }

  @Override
  public long pendingBytes() {
    return sending.outbound().bytes();
  }

  @Override
  public long progress() {
    return sending.outbound().taken();
  }

  @Override
  public void close() {
    if (!closed) {
      sending.finish();
    }
  }

  @Override
  public void abort() {
    close(null);
  }

  @Override
  public Executor executor() {
    return loop;
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public String toString() {
    return sending.toString();
  }
}
