package io.sluice.benchmarks.crowded.child;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.benchmarks.child.CommandLoop;
import io.sluice.benchmarks.storage.disk.ThrottledDisk;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.CoreSeams;
import io.sluice.server.CoreSettings;
import io.sluice.server.ServerCore;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.config.MemoryPlan;
import io.sluice.server.config.ProcessMemory;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreParts;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shuffle server's core with one disk and the budget of a process, behind one port: memory is
 * divided as a server divides it. Arguments are a {@link ServerSpec}; ready, it says its port.
 * Command: {@value #REMOVE} and an application.
 */
public final class CrowdedServer {
  public static final String REMOVE = "remove";

  /** As every client is told. */
  public static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(1, 1), 1);

  private static final Logger log = LoggerFactory.getLogger(CrowdedServer.class);
  private static final long MIB = 1 << 20;
  private static final int PAGE_BYTES = 8192;
  private static final int POOL_ORDER = 7;

  private CrowdedServer() {}

  public static void main(String[] args) throws Exception {
    ServerSpec spec = ServerSpec.parse(args);
    ServerConfig config = config(spec);
    MemoryPlan plan = MemoryPlan.of(config, ProcessMemory.current());
    log.info("{}", plan.describe());
    ExecutorService flushing = Executors.newSingleThreadExecutor();
    PooledByteBufAllocator buffers =
        new PooledByteBufAllocator(true, 0, 1, PAGE_BYTES, POOL_ORDER, 0, 0, false);
    try (ThreadScheduler timers =
            new ThreadScheduler(
                "bench-timer", Clock.system(), (thread, e) -> log.error("a timer failed", e));
        SegmentStore store = open(spec, config, timers);
        EventLoops events = EventLoops.open("sluice-data", 1, buffers, Clock.system())) {
      CoreSettings settings =
          CoreSettings.of(
              config, new CoreSettings.Memory(plan.arena(), plan.tables()), plan.readBuffers());
      ServerCore core =
          new ServerCore(settings, new CoreSeams(timers, flushing, () -> IDENTITY, List.of(store)));
      serve(spec, config, core, events);
    } finally {
      flushing.shutdown();
    }
  }

  private static ServerConfig config(ServerSpec spec) {
    Map<String, String> values = new HashMap<>();
    values.put("server.memory", spec.memoryMib() + "m");
    values.put("server.data-dirs", spec.directory().toString());
    values.put("server.connections.max", Integer.toString(spec.connections()));
    values.put("server.connections.seed", spec.seedKib() + "k");
    values.put("server.event-loops", "1");
    if (spec.grpc()) {
      values.put("server.grpc.port", "0");
    }
    return ServerConfig.from(
        new ConfigReader(List.of(ServerConfig.SECTION)).values("the benchmark", values).read());
  }

  private static SegmentStore open(ServerSpec spec, ServerConfig config, ThreadScheduler timers) {
    DiskOptions options = MemoryPlan.diskOptions(config, config.dataDirs().get(0));
    LocalDisk.make(spec.directory());
    LocalDisk local = LocalDisk.open(spec.directory());
    Disk disk =
        spec.diskMibPerSecond() == 0
            ? local
            : new ThrottledDisk(local, timers, spec.diskMibPerSecond() * MIB);
    StoreParts parts =
        new StoreParts(
            disk,
            RocksUnitCatalog.open(local.resolve("catalog"), options.catalogMemory()),
            new ThreadedDiskQueue("bench-disk", options));
    return LocalSegmentStore.open(parts, options, IDENTITY.incarnation(), Clock.system());
  }

  private static void serve(
      ServerSpec spec, ServerConfig config, ServerCore core, EventLoops events) throws Exception {
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
    try (DataServer port =
        spec.grpc()
            ? GrpcServer.bind(events, any, settings, core, count)
            : NettyServer.bind(events, any, settings, core, count)) {
      CommandLoop.serve(Integer.toString(port.address().getPort()), words -> carryOut(core, words));
    }
  }

  private static String carryOut(ServerCore core, String[] words) {
    if (!words[0].equals(REMOVE)) {
      throw new IllegalArgumentException(words[0]);
    }
    core.shuffles().remove(CrowdedClient.shuffle(Integer.parseInt(words[1])));
    return "";
  }
}
