package io.sluice.transport.grpc;

import io.grpc.HasByteBuffer;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.common.time.Clock;
import io.sluice.transport.session.Protocol;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Drives a protocol from a call's events, on its event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // Tasks of the loop report their failures there.
final class CallDriver {
  private final Protocol protocol;
  private final CallOutput output;
  private final EventLoop loop;
  private final Clock clock;
  private @Nullable ScheduledFuture<?> ticks;
  private boolean completing;
  private boolean gone;

  CallDriver(Protocol protocol, CallOutput output, EventLoop loop, Clock clock) {
    this.protocol = protocol;
    this.output = output;
    this.loop = loop;
    this.clock = clock;
  }

  /**
   * The call exists and takes messages.
   *
   * @param tickNanos how often the protocol is to look at its deadlines
   */
  void start(long tickNanos) {
    ticks =
        loop.scheduleWithFixedDelay(
            () -> protocol.tick(clock.nanoTime()), tickNanos, tickNanos, TimeUnit.NANOSECONDS);
    protocol.start(clock.nanoTime());
  }

  /** A message has arrived, which is closed here. */
  void received(InputStream message) {
    try (InputStream bytes = message) {
      while (bytes.available() > 0) {
        ByteBuffer piece = view(bytes);
        if (piece != null && piece.hasRemaining()) {
          int length = piece.remaining();
          protocol.receive(piece, piece.position(), length);
          if (bytes.skip(length) != length) {
            throw new IOException("a message is shorter than it said");
          }
        } else {
          // Not seen with gRPC's own buffers, but nothing promises that it cannot be.
          byte[] rest = bytes.readAllBytes();
          protocol.receive(ByteBuffer.wrap(rest), 0, rest.length);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("gRPC's messages are in memory", e);
    }
    if (!completing) {
      // Behind all that arrived together: so many answers leave in one message.
      completing = true;
      loop.execute(this::readComplete);
    }
  }

  private static @Nullable ByteBuffer view(InputStream bytes) {
    return bytes instanceof HasByteBuffer && ((HasByteBuffer) bytes).byteBufferSupported()
        ? ((HasByteBuffer) bytes).getByteBuffer()
        : null;
  }

  private void readComplete() {
    completing = false;
    if (!gone) {
      protocol.readComplete();
    }
  }

  /** gRPC takes messages again. */
  void ready() {
    boolean full = !output.isWritable();
    output.flush();
    if (full && output.isWritable()) {
      protocol.writabilityChanged();
    }
  }

  /** The call is over, in order or not. */
  void over(@Nullable Throwable cause) {
    if (gone) {
      return;
    }
    gone = true;
    if (ticks != null) {
      ticks.cancel(false);
    }
    output.drop();
    protocol.disconnected(cause);
  }
}
