package io.sluice.transport.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.session.Output;
import java.util.concurrent.Executor;

/**
 * Writes to a call. gRPC keeps no count of what it holds that anybody could ask for, only a mark;
 * so it is given bytes while it is below that mark, and all others wait here, where they are
 * counted and still in the memory they came in.
 */
final class CallOutput implements Output {
  /** Bytes waiting here that stop further bulk, as in a socket's channel. */
  static final long HIGH_WATER = 256 * 1024;

  private final CallEnd call;
  private final EventLoop loop;
  private final ByteBufAllocator alloc;
  private final String peer;
  private final WaitingBytes waiting;
  private long handedOver;
  private boolean closing;
  private boolean ended;

  CallOutput(CallEnd call, EventLoop loop, ByteBufAllocator alloc, String peer, byte[] scratch) {
    this.call = call;
    this.loop = loop;
    this.alloc = alloc;
    this.peer = peer;
    this.waiting = new WaitingBytes(scratch);
  }

  @Override
  public ByteBufAllocator alloc() {
    return alloc;
  }

  @Override
  public void write(ByteBuf bytes) {
    if (closing || ended) {
      bytes.release();
    } else {
      waiting.add(bytes);
    }
  }

  @Override
  public void write(OutgoingData data) {
    if (closing || ended) {
      data.close();
    } else {
      waiting.add(data);
    }
  }

  @Override
  public void flush() {
    while (!ended && waiting.bytes() > 0 && call.isReady()) {
      long before = waiting.bytes();
      call.send(waiting.next(ByteStream.MESSAGE_BYTES));
      handedOver += before - waiting.bytes();
    }
    if (closing && !ended && waiting.bytes() == 0) {
      ended = true;
      call.end();
    }
  }

  @Override
  public boolean isWritable() {
    return !closing && !ended && waiting.bytes() < HIGH_WATER;
  }

  /** Not counted: the message or two that gRPC holds. */
  @Override
  public long pendingBytes() {
    return waiting.bytes();
  }

  @Override
  public long progress() {
    return handedOver;
  }

  @Override
  public void close() {
    closing = true;
    flush();
  }

  @Override
  public void abort() {
    drop();
    call.abort();
  }

  /** Drops what waits; the call is over, or about to be. */
  void drop() {
    ended = true;
    waiting.close();
  }

  @Override
  public Executor executor() {
    return loop;
  }

  @Override
  public byte[] binding() {
    return call.binding();
  }

  @Override
  public String peer() {
    return peer;
  }
}
