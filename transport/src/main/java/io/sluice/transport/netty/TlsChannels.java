package io.sluice.transport.netty;

import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.handler.ssl.SslHandler;
import io.sluice.transport.ConnectionTimeouts;
import java.util.concurrent.TimeUnit;

/** What is different about a channel that is encrypted. */
final class TlsChannels {
  /**
   * Bytes waiting in an encrypted channel that stop further bulk. They are copies, which nothing
   * else accounts for: at most these and a piece of 256 KiB with its records' headers.
   */
  static final int HIGH_WATER = 64 * 1024;

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(HIGH_WATER / 2, HIGH_WATER);

  private static final int READ_MIN = 2 * 1024;
  private static final int READ_FIRST = 16 * 1024;

  /** Four records. */
  static final int READ_MAX = 64 * 1024;

  private TlsChannels() {}

  /**
   * Puts TLS in front of everything. What is received goes to buffers of its own, since the part of
   * a record that has not arrived whole is kept from one read to the next.
   */
  static void encrypt(Channel channel, SslHandler handler, ConnectionTimeouts timeouts) {
    handler.setHandshakeTimeout(timeouts.handshakeNanos(), TimeUnit.NANOSECONDS);
    channel
        .config()
        .setRecvByteBufAllocator(new AdaptiveRecvByteBufAllocator(READ_MIN, READ_FIRST, READ_MAX))
        .setWriteBufferWaterMark(WATER_MARK);
    channel.pipeline().addFirst(handler);
  }
}
