package io.sluice.server;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.CannotListenException;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.http.StatusPages;
import io.sluice.server.config.DataDir;
import io.sluice.server.config.MemoryPlan;
import io.sluice.server.config.ProcessMemory;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.control.ControlSession;
import io.sluice.server.control.GrpcConnector;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.metrics.ServerMetrics;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.Tier;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.RemoteTiers;
import io.sluice.server.user.UserDirectory;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running shuffle server. Threads: the event loops; one to flush and a few to read and write per
 * disk; one timer; one for the control session and one for its I/O; two for HTTP.
 */
public final class ShuffleServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ShuffleServer.class);
  private static final int PAGE_BYTES = 8192;
  // Chunks of 1 MiB: the pool holds headers of frames and the receive buffers, nothing larger.
  private static final int POOL_ORDER = 7;

  private final StopList started;
  private final ServerCore core;
  private final ServerConfig config;
  private final Running running;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** What has to be stopped in an order of its own. */
  private record Running(
      NettyServer data,
      StatusPages http,
      ControlSession control,
      ServerIdentities identities,
      Optional<RemoteTier> remote) {}

  private ShuffleServer(StopList started, ServerCore core, ServerConfig config, Running running) {
    this.started = started;
    this.core = core;
    this.config = config;
    this.running = running;
  }

  /**
   * Starts a server; does not wait until a coordinator has admitted it.
   *
   * @throws SluiceException INVALID_CONFIGURATION if memory, addresses or directories cannot be had
   *     as configured, ADDRESS_IN_USE if a port is taken; then nothing is left running
   */
  public static ShuffleServer start(ServerConfig config) {
    StopList started = new StopList();
    try {
      return assemble(config, started);
    } catch (RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  private static ShuffleServer assemble(ServerConfig config, StopList started) {
    MemoryPlan plan = MemoryPlan.of(config, ProcessMemory.current());
    log.info("{}", plan.describe());
    ThreadScheduler timers = started.add("timers", scheduler("sluice-timer"));
    ExecutorService flushing = flushThreads(config);
    // Stopped after the stores: what follows their last writes runs there.
    started.add("flushing", flushing::shutdown);
    List<LocalDisk> disks = openDisks(config, started);
    ServerIdentities identities = ServerIdentities.claim(disks);
    List<SegmentStore> stores =
        openStores(config, disks, new Opening(identities.incarnation(), timers), started);
    UserDirectory users = new UserDirectory();
    Optional<RemoteTier> remote =
        openRemote(
            config, identities.current(), surroundings(config, disks, timers, users), started);
    remote.ifPresent(tier -> stores.add(tier.store()));
    ServerCore core =
        new ServerCore(
            CoreSettings.of(
                config, new CoreSettings.Memory(plan.arena(), plan.tables()), plan.readBuffers()),
            new CoreSeams(timers, flushing, identities::incarnation, stores),
            users);
    if (config.memory().preallocate()) {
      core.arena().preallocate();
    }
    remote.ifPresent(tier -> adopt(tier, config.tiers().standInFor(), core));
    NettyServer data = listen(config, core, identities, started);
    StatusPages http =
        started.add(
            "HTTP",
            StatusPages.bind(
                new InetSocketAddress(config.listen().bindAddress(), config.listen().httpPort()),
                "server.http.port"));
    ServerConfig.Advertised advertised = config.advertised();
    ControlLink.Endpoints endpoints =
        new ControlLink.Endpoints(
            advertised.host().orElseGet(ShuffleServer::hostName),
            advertised.port().orElse(data.address().getPort()),
            http.port());
    ControlLink link = new ControlLink(core, stores, identities, endpoints, config.needsUsers());
    ControlSession session = report(config, link, started);
    stores.forEach(store -> store.onHealthChange(() -> healthChanged(session, core)));
    http.serve(metrics(core, stores), new Admission(session, stores));
    ServerIdentity identity = identities.current();
    log.info(
        "server {} serves on port {}, for clients at {}:{}; metrics and health on port {}",
        identity,
        data.address().getPort(),
        endpoints.host(),
        endpoints.port(),
        http.port());
    return new ShuffleServer(
        started, core, config, new Running(data, http, session, identities, remote));
  }

  private static ExecutorService flushThreads(ServerConfig config) {
    int stores = Math.max(1, MemoryPlan.stores(config));
    return Executors.newFixedThreadPool(stores, task -> daemon(task, "sluice-flush"));
  }

  /** What was taken over before, and what is to be taken over now. */
  private static void adopt(RemoteTier tier, List<ServerId> dead, ServerCore core) {
    tier.adopted().forEach(core.shuffles()::adopt);
    for (ServerId server : dead) {
      try {
        tier.adopt(server).forEach(core.shuffles()::adopt);
      } catch (SluiceException e) {
        if (e.code() != ErrorCode.UNKNOWN_SHUFFLE) {
          throw e;
        }
        // As at every further start with the same setting.
        log.info("nothing is left to take over from server {}: {}", server, e.detail());
      }
    }
  }

  private static void healthChanged(ControlSession session, ServerCore core) {
    session.changed();
    core.flushIfDue();
  }

  private static List<LocalDisk> openDisks(ServerConfig config, StopList started) {
    List<LocalDisk> disks = new ArrayList<>();
    for (DataDir dir : config.dataDirs()) {
      // Closing again after the store has is harmless.
      disks.add(started.add("directory " + dir.path(), LocalDisk.open(dir.path())));
    }
    return disks;
  }

  /** What all stores are opened with. */
  private record Opening(long incarnation, Scheduler timers) {}

  private static List<SegmentStore> openStores(
      ServerConfig config, List<LocalDisk> disks, Opening opening, StopList started) {
    List<SegmentStore> stores = new ArrayList<>();
    for (int i = 0; i < disks.size(); i++) {
      LocalDisk disk = disks.get(i);
      DataDir dir = config.dataDirs().get(i);
      LocalSegmentStore store =
          LocalSegmentStore.openWatched(
              disk,
              Tier.of(dir.kind()),
              MemoryPlan.diskOptions(config, dir),
              opening.incarnation(),
              opening.timers());
      stores.add(started.add("disk " + disk.name(), store));
    }
    return stores;
  }

  private static RemoteTierSettings.Surroundings surroundings(
      ServerConfig config, List<LocalDisk> disks, Scheduler timers, UserDirectory users) {
    boolean impersonate = config.tiers().remote().map(RemoteStorage::impersonate).orElse(false);
    return new RemoteTierSettings.Surroundings(
        disks.stream().findFirst().map(disk -> disk.resolve("")),
        timers,
        impersonate ? users::of : Owners.NOBODY);
  }

  private static Optional<RemoteTier> openRemote(
      ServerConfig config,
      ServerIdentity identity,
      RemoteTierSettings.Surroundings surroundings,
      StopList started) {
    return config
        .tiers()
        .remote()
        .map(
            storage -> {
              RemoteTierSettings settings =
                  new RemoteTierSettings(
                      storage,
                      identity.id(),
                      identity.incarnation(),
                      new RemoteTierSettings.Sizes(
                          MemoryPlan.remoteOptions(config), MemoryPlan.adoptedOptions(config)),
                      surroundings);
              return started.add("tier " + storage.root(), RemoteTiers.open(settings));
            });
  }

  private static NettyServer listen(
      ServerConfig config, ServerCore core, ServerIdentities identities, StopList started) {
    int loops = config.listen().eventLoops();
    PooledByteBufAllocator buffers =
        new PooledByteBufAllocator(true, 0, loops, PAGE_BYTES, POOL_ORDER, 0, 0, false);
    EventLoops events =
        started.add("event loops", EventLoops.open("sluice-data", loops, buffers, Clock.system()));
    ServerConfig.Limits limits = config.limits();
    ServerSettings settings =
        new ServerSettings(
            identities::current,
            ServerAuthenticator.none(),
            ConnectionLimits.of(limits.maxConnections(), limits.maxBlockBytes()),
            ConnectionTimeouts.defaults(),
            limits.verifyCrc());
    InetSocketAddress address =
        new InetSocketAddress(config.listen().bindAddress(), config.listen().port());
    try {
      return started.add("data port", NettyServer.bind(events, address, settings, core));
    } catch (CannotListenException e) {
      throw e.chosenBy("server.port");
    }
  }

  private static ControlSession report(ServerConfig config, ControlLink link, StopList started) {
    ThreadScheduler control = started.add("control", scheduler("sluice-control"));
    GrpcConnector connector = started.add("control connections", new GrpcConnector());
    ControlSession session = new ControlSession(config.coordinators(), connector, link, control);
    started.add("control session", () -> control.execute(session::close));
    session.start();
    return session;
  }

  private static PrometheusRegistry metrics(ServerCore core, List<SegmentStore> stores) {
    PrometheusRegistry registry = new PrometheusRegistry();
    JvmMetrics.builder().register(registry);
    ServerMetrics.register(registry, core.stats(), new CoreGauges(core), stores);
    return registry;
  }

  private static ThreadScheduler scheduler(String name) {
    return new ThreadScheduler(name, Clock.system(), ShuffleServer::taskFailed);
  }

  /**
   * A task's bug is that task's; an error is the process's, whose owner decides what becomes of it.
   */
  private static void taskFailed(Thread thread, Throwable failure) {
    if (failure instanceof Error) {
      thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    } else {
      log.error("a task of {} failed", thread.getName(), failure);
    }
  }

  private static Thread daemon(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  private static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "this machine's host name cannot be found out: set " + ServerConfig.HOST,
          e);
    }
  }

  public ServerIdentity identity() {
    return running.identities().current();
  }

  /** The data port that was really bound. */
  public int port() {
    return running.data().address().getPort();
  }

  /** Port of metrics and health. */
  public int httpPort() {
    return running.http().port();
  }

  /** Whether a coordinator has admitted this server. */
  public boolean admitted() {
    return running.control().admitted();
  }

  /** Completes when a coordinator has admitted this server for the first time. */
  public CompletionStage<Void> firstAdmission() {
    return running.control().firstAdmission();
  }

  public ServerCore core() {
    return core;
  }

  /**
   * Serves from now on what a server left on the remote tier that is gone for good. Blocks while
   * its files are closed and their headers read.
   *
   * @throws SluiceException INVALID_CONFIGURATION without a remote tier; else as {@link
   *     RemoteTier#adopt}
   */
  public void standInFor(ServerId dead) {
    RemoteTier tier =
        running
            .remote()
            .orElseThrow(
                () ->
                    new SluiceException(
                        ErrorCode.INVALID_CONFIGURATION, "this server has no remote tier"));
    tier.adopt(dead).forEach(core.shuffles()::adopt);
  }

  /**
   * An orderly stop; see {@link OrderlyStop}. Blocks for about as long as configured at most. Again
   * is harmless.
   *
   * @throws SluiceException DATA_LOST if there are disks and not everything in memory reached one;
   *     everything is stopped all the same
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    OptionalLong left =
        new OrderlyStop(running.control(), running.data(), core, hasStores())
            .run(config.storage().stopTimeout().toNanos());
    started.close();
    if (left.isPresent()) {
      throw new SluiceException(
          ErrorCode.DATA_LOST,
          "stopped with " + left.getAsLong() + " bytes in memory that have reached no disk");
    }
  }

  private boolean hasStores() {
    return !config.dataDirs().isEmpty() || config.tiers().remote().isPresent();
  }
}
