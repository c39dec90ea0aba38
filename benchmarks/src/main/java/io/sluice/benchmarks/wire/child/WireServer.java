package io.sluice.benchmarks.wire.child;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.benchmarks.child.CommandLoop;
import io.sluice.benchmarks.wire.Usage;
import io.sluice.benchmarks.wire.load.WireShuffle;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.CoreSeams;
import io.sluice.server.CoreSettings;
import io.sluice.server.ServerCore;
import io.sluice.server.config.ServerConfig;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataServer;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.grpc.GrpcServer;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of the server: its real core, without disks, behind both transports. Arguments: bytes
 * for blocks, event loops. Ready, it says its two ports. Commands: {@value #USAGE}; {@value
 * #REMOVE} and a shuffle.
 */
public final class WireServer {
  public static final String USAGE = "usage";
  public static final String REMOVE = "remove";

  /** As every client is told. */
  public static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 1), 1);

  private static final Logger log = LoggerFactory.getLogger(WireServer.class);
  private static final int READ_BUFFERS = 16;

  private WireServer() {}

  public static void main(String[] args) throws Exception {
    int loops = Integer.parseInt(args[1]);
    ServerConfig config =
        ServerConfig.from(
            new ConfigReader(List.of(ServerConfig.SECTION))
                .values("the benchmark", Map.of())
                .read());
    ExecutorService flushing = Executors.newSingleThreadExecutor();
    try (ThreadScheduler timers =
            new ThreadScheduler(
                "bench-timer", Clock.system(), (thread, e) -> log.error("a timer failed", e));
        EventLoops events =
            EventLoops.open(
                "sluice-data", loops, new PooledByteBufAllocator(true), Clock.system())) {
      ServerCore core =
          new ServerCore(
              CoreSettings.of(
                  config,
                  new CoreSettings.Memory(
                      Long.parseLong(args[0]), Runtime.getRuntime().maxMemory() / 2),
                  READ_BUFFERS),
              new CoreSeams(timers, flushing, () -> IDENTITY, List.of()));
      core.arena().preallocate();
      serve(config, core, events);
    } finally {
      flushing.shutdown();
    }
  }

  private static void serve(ServerConfig config, ServerCore core, EventLoops events)
      throws Exception {
    ServerConfig.Limits limits = config.limits();
    ServerSettings settings =
        new ServerSettings(
            () -> IDENTITY,
            ServerAuthenticator.none(),
            ConnectionLimits.of(limits.maxConnections(), limits.maxBlockBytes()),
            ConnectionTimeouts.defaults(),
            limits.verifyCrc());
    ConnectionCount count = new ConnectionCount(limits.maxConnections());
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (DataServer sockets = NettyServer.bind(events, any, settings, core, count);
        DataServer grpc = GrpcServer.bind(events, any, settings, core, count)) {
      CommandLoop.serve(
          sockets.address().getPort() + " " + grpc.address().getPort(),
          words -> carryOut(core, words));
    }
  }

  private static String carryOut(ServerCore core, String[] words) {
    if (words[0].equals(REMOVE)) {
      core.shuffles().remove(WireShuffle.number(Integer.parseInt(words[1])));
      return "";
    }
    if (words[0].equals(USAGE)) {
      return Usage.now().format();
    }
    throw new IllegalArgumentException(words[0]);
  }
}
