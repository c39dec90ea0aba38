package io.sluice.transport.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much the system may hold of what a connection sends.
 *
 * <p>By default up to 4 MiB for each connection, as much as it takes to fill a long way. Between
 * two processes of one machine there is no way to fill: whatever the system holds is waiting for
 * the other process, and has left the caches when that reads it. Both sides then copy from memory
 * what they could copy from a cache, a third of the CPU of a connection ({@code
 * docs/benchmarks/wire.md}). So there, and only there, the system holds about half of a core's
 * second-level cache.
 */
final class SendBuffer {
  private static final Logger log = LoggerFactory.getLogger(SendBuffer.class);

  /** The system doubles it, for its own administration. */
  private static final int NEAR_BYTES = 256 * 1024;

  private SendBuffer() {}

  /** Bounds it if both ends are on this machine; to be called once connected. */
  static void bound(Channel connected) {
    if (sameMachine(connected.localAddress(), connected.remoteAddress())) {
      try {
        connected.config().setOption(ChannelOption.SO_SNDBUF, NEAR_BYTES);
      } catch (ChannelException e) {
        // It is only slower without; if the connection has just ended, that is told otherwise.
        log.debug("{} sends with the buffer that it has", connected, e);
      }
    }
  }

  /** Whoever connects to an address of the machine it is on does so from that address. */
  static boolean sameMachine(SocketAddress local, SocketAddress remote) {
    if (!(local instanceof InetSocketAddress) || !(remote instanceof InetSocketAddress)) {
      return false;
    }
    InetAddress here = ((InetSocketAddress) local).getAddress();
    InetAddress there = ((InetSocketAddress) remote).getAddress();
    return there != null && (there.isLoopbackAddress() || there.equals(here));
  }
}
