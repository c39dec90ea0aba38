package io.sluice.transport.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.session.Output;
import java.net.SocketAddress;
import java.util.concurrent.Executor;
import java.util.function.Function;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** Writes to a socket. Netty gathers what was written between two flushes into few system calls. */
@SuppressWarnings("FutureReturnValueIgnored") // Netty reports failures as channel events too.
final class ChannelOutput implements Output {
  // Odd, with bits all over: so that a few more ranges change all of the mark.
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final Channel channel;
  private final ByteBufAllocator alloc;
  private final String peer;
  private final Function<@Nullable SSLSession, byte[]> binding;
  private final Departures departures = new Departures();

  /**
   * @param binding what the proof of either side is bound to, of a session if there is one
   */
  ChannelOutput(
      Channel channel,
      ByteBufAllocator alloc,
      SocketAddress peer,
      Function<@Nullable SSLSession, byte[]> binding) {
    this.binding = binding;
    this.channel = channel;
    this.alloc = alloc;
    this.peer = peer.toString();
  }

  @Override
  public ByteBufAllocator alloc() {
    return alloc;
  }

  @Override
  public void write(ByteBuf bytes) {
    channel.write(bytes, channel.voidPromise());
  }

  @Override
  public void write(OutgoingData data) {
    int ranges = data.ranges();
    if (ranges == 0) {
      data.close();
    }
    // Buffers are released in order, whatever becomes of them: the last one speaks for all.
    for (int i = 0; i < ranges; i++) {
      channel.write(LentBytes.of(data, i, i == ranges - 1, departures), channel.voidPromise());
    }
  }

  @Override
  public void flush() {
    channel.flush();
  }

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  @Override
  public long pendingBytes() {
    ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
    return pending == null ? 0 : pending.totalPendingWriteBytes();
  }

  /**
   * How many ranges have left, which buffer is the first of those that have not, and how much of it
   * has gone. A buffer that is used again may be first again, but not with ranges between that have
   * not left; encrypted, as much of it would have to be gone as well.
   */
  @Override
  public long progress() {
    ChannelOutboundBuffer pending = channel.unsafe().outboundBuffer();
    if (pending == null) {
      return departures.ranges;
    }
    long first = (long) System.identityHashCode(pending.current()) << 32;
    return (first | pending.currentProgress()) ^ departures.ranges * SPREAD;
  }

  @Override
  public void close() {
    channel
        .writeAndFlush(Unpooled.EMPTY_BUFFER)
        .addListener(
            (ChannelFutureListener)
                written -> {
                  if (written.isSuccess() && channel instanceof DuplexChannel) {
                    ((DuplexChannel) channel).shutdownOutput();
                  } else {
                    channel.close();
                  }
                });
  }

  @Override
  public void abort() {
    channel.close();
  }

  @Override
  public Executor executor() {
    return channel.eventLoop();
  }

  @Override
  public byte[] binding() {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    return binding.apply(tls == null ? null : tls.engine().getSession());
  }

  @Override
  public String peer() {
    return peer;
  }

  /** Ranges of lent memory that are not in the channel any more. On the event loop. */
  static final class Departures {
    private long ranges;

    void left() {
      ranges++;
    }
  }
}
