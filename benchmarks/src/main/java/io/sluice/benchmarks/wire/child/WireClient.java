package io.sluice.benchmarks.wire.child;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.benchmarks.child.CommandLoop;
import io.sluice.benchmarks.wire.WireCase;
import io.sluice.benchmarks.wire.load.FrameRing;
import io.sluice.benchmarks.wire.load.WireLoad;
import io.sluice.common.time.Clock;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.Transport;
import io.sluice.transport.grpc.GrpcConnector;
import io.sluice.transport.netty.DataConnector;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyConnector;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientSettings;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The process of the client. Arguments: the server's two ports, bytes of a block, connections,
 * bytes of a turn, event loops. Commands: {@value #OPEN}, a transport and a shuffle; {@value
 * #PUSH}; {@value #FETCH}; {@value #CLOSE}.
 */
public final class WireClient implements AutoCloseable {
  public static final String OPEN = "open";
  public static final String PUSH = "push";
  public static final String FETCH = "fetch";
  public static final String CLOSE = "close";

  private final PooledByteBufAllocator buffers = new PooledByteBufAllocator(true);
  private final EventLoops loops;
  private final WireCase shape;
  private final FrameRing ring;
  private final int socketPort;
  private final int grpcPort;
  private @Nullable WireLoad load;

  private WireClient(String[] args) {
    socketPort = Integer.parseInt(args[0]);
    grpcPort = Integer.parseInt(args[1]);
    shape =
        new WireCase(Integer.parseInt(args[2]), Integer.parseInt(args[3]), Long.parseLong(args[4]));
    ring = new FrameRing(buffers, shape.blockBytes());
    loops = EventLoops.open("client", Integer.parseInt(args[5]), buffers, Clock.system());
  }

  public static void main(String[] args) throws Exception {
    try (WireClient client = new WireClient(args)) {
      CommandLoop.serve("", client::carryOut);
    }
  }

  private String carryOut(String[] words) throws Exception {
    switch (words[0]) {
      case OPEN -> {
        WireLoad opening = new WireLoad(shape, ring);
        load = opening;
        Transport transport = Transport.valueOf(words[1]);
        int port = transport == Transport.GRPC ? grpcPort : socketPort;
        opening.connect(
            connector(transport), port, WireServer.IDENTITY, Integer.parseInt(words[2]));
        return "";
      }
      case PUSH -> {
        return load().push().format();
      }
      case FETCH -> {
        return load().fetch().format();
      }
      case CLOSE -> {
        load().close();
        load = null;
        return "";
      }
      default -> throw new IllegalArgumentException(words[0]);
    }
  }

  private DataConnector connector(Transport transport) {
    ClientSettings settings =
        new ClientSettings(
            new UUID(1, 1), ClientAuthenticator.none(), ConnectionTimeouts.defaults());
    return transport == Transport.GRPC
        ? new GrpcConnector(loops, settings, Runnable::run)
        : new NettyConnector(loops, settings, Runnable::run);
  }

  private WireLoad load() {
    if (load == null) {
      throw new IllegalStateException("not open");
    }
    return load;
  }

  @Override
  public void close() {
    loops.close();
    ring.close();
  }
}
