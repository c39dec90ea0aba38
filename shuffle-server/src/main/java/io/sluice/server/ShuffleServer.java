package io.sluice.server;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.lifecycle.StopList;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.http.CertificateMetrics;
import io.sluice.http.StatusPages;
import io.sluice.server.config.MemoryPlan;
import io.sluice.server.config.ProcessMemory;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.control.ControlSession;
import io.sluice.server.control.GrpcConnector;
import io.sluice.server.metrics.ServerMetrics;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.tier.RemoteTiers;
import io.sluice.server.user.UserDirectory;
import io.sluice.transport.ServerIdentity;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running shuffle server. Threads: the event loops; one to flush and a few to read and write per
 * disk; one timer; one for the control session and one for its I/O; two for HTTP.
 */
public final class ShuffleServer implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ShuffleServer.class);

  private final StopList started;
  private final ServerCore core;
  private final ServerConfig config;
  private final Running running;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** What has to be stopped in an order of its own. */
  private record Running(
      DataPorts data,
      StatusPages http,
      ControlSession control,
      ServerIdentities identities,
      ServerStores stores) {}

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
   *     as configured, ADDRESS_IN_USE if a port is taken, DISK_FAILED or CORRUPT_CATALOG if no data
   *     directory works; then nothing is left running
   */
  public static ShuffleServer start(ServerConfig config) {
    return start(config, SecurityConfig.off());
  }

  /** The same, for a server that may believe only who proves himself. */
  public static ShuffleServer start(ServerConfig config, SecurityConfig security) {
    security.checkListening(config.listen().bindAddress(), "server.bind-address");
    StopList started = new StopList();
    try {
      return assemble(config, security, started);
    } catch (RuntimeException | Error e) {
      started.close();
      throw e;
    }
  }

  /**
   * What can be wrong without a look at the disks is found out first, and ports are taken: a server
   * that cannot start for such a reason leaves no trace on them.
   */
  private static ShuffleServer assemble(
      ServerConfig config, SecurityConfig security, StopList started) {
    MemoryPlan plan = MemoryPlan.of(config, ProcessMemory.current(), security.tls().isPresent());
    config.limits().credit(plan.arena()).check(plan.arena());
    config.tiers().remote().ifPresent(remote -> RemoteTiers.requireModule(remote.root()));
    log.info("{}", plan.describe());
    PrometheusRegistry registry = registry(started);
    ThreadScheduler timers = started.add("timers", scheduler("sluice-timer"));
    security.tls().ifPresent(tls -> tls.material().watch(timers));
    HeldPorts ports = HeldPorts.take(config, security, started);
    ExecutorService flushing = flushThreads(config);
    // Stopped after the stores: what follows their last writes runs there.
    started.add("flushing", flushing::shutdown);
    ExecutorService opening = openingThreads(config);
    started.add("opening", opening::shutdown);
    DataDisks disks = DataDisks.open(config.dataDirs(), started);
    ServerIdentities identities = ServerIdentities.claim(disks);
    UserDirectory users = new UserDirectory();
    ServerStores opened = new ServerStores(config, identities, timers, opening, started);
    opened.openLocal(disks);
    opened.openRemote(disks, users);
    List<SegmentStore> stores = opened.all();
    identities.settle(stores);
    // Before the stores, which what runs there reads from.
    started.stopFirst(ports.events());
    SocketPeers peers =
        started.add(
            "names of peers", SocketPeers.of(ports.events(), identities.current().id(), security));
    ServerCore core =
        new ServerCore(
            CoreSettings.of(
                config, new CoreSettings.Memory(plan.arena(), plan.tables()), plan.readBuffers()),
            new CoreSeams(timers, flushing, identities::current, stores, peers),
            users);
    if (config.memory().preallocate()) {
      core.arena().preallocate();
    }
    started.add("replication", core.replication());
    opened.adoptInto(core);
    Admissions admissions = Admissions.of(security, config.limits().maxConnections(), core.stats());
    ports.data().serve(core, identities, admissions, started);
    started.stopFirst(ports.http());
    ControlLink link =
        new ControlLink(
            core,
            stores,
            identities,
            ports.endpoints(),
            config.needsUsers(),
            admissions.verifiers());
    ControlSession session = report(config, security, link, started);
    stores.forEach(store -> store.onHealthChange(() -> healthChanged(session, core)));
    opened.start(core, session::introduce);
    register(registry, core, security, stores, session);
    ServerMetrics.registerWaiting(registry, ports.data()::waiting);
    ports.http().serve(registry, new Admission(session, stores));
    log.info("server {} serves on {}", identities.current(), ports);
    return new ShuffleServer(
        started,
        core,
        config,
        new Running(ports.data(), ports.http(), session, identities, opened));
  }

  private static ExecutorService flushThreads(ServerConfig config) {
    int stores = Math.max(1, MemoryPlan.stores(config));
    return Executors.newFixedThreadPool(stores, task -> daemon(task, "sluice-flush"));
  }

  /** For stores that cannot be opened at the start: one each, while one is being tried. */
  private static ExecutorService openingThreads(ServerConfig config) {
    return new ThreadPoolExecutor(
        0,
        Math.max(1, MemoryPlan.stores(config)),
        1,
        TimeUnit.MINUTES,
        new SynchronousQueue<>(),
        task -> daemon(task, "sluice-open"));
  }

  private static void healthChanged(ControlSession session, ServerCore core) {
    session.changed();
    core.flushIfDue();
  }

  private static ControlSession report(
      ServerConfig config, SecurityConfig security, ControlLink link, StopList started) {
    ThreadScheduler control = started.add("control", scheduler("sluice-control"));
    GrpcConnector connector =
        started.add(
            "control connections", new GrpcConnector(security.clusterKey(), security.tls()));
    ControlSession session = new ControlSession(config.coordinators(), connector, link, control);
    started.add("control session", () -> control.execute(session::close));
    session.start();
    return session;
  }

  /** Emptied in the end: the JVM's metrics keep every registry that they were registered in. */
  private static PrometheusRegistry registry(StopList started) {
    PrometheusRegistry registry = new PrometheusRegistry();
    started.add("metrics", registry::clear);
    JvmMetrics.builder().register(registry);
    return registry;
  }

  private static void register(
      PrometheusRegistry registry,
      ServerCore core,
      SecurityConfig security,
      List<SegmentStore> stores,
      ControlSession session) {
    security.tls().ifPresent(tls -> CertificateMetrics.register(registry, "sluice_server", tls));
    ServerMetrics.register(
        registry,
        core.stats(),
        core.replication().stats(),
        new CoreGauges(core),
        stores,
        session::admitted);
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

  public ServerIdentity identity() {
    return running.identities().current();
  }

  /** The data port that was really bound. */
  public int port() {
    return running.data().port();
  }

  /** The data port for gRPC that was really bound, if any. */
  public OptionalInt grpcPort() {
    return running.data().grpcPort();
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
   *     AttachedTier#standInFor}
   */
  public void standInFor(ServerId dead) {
    running
        .stores()
        .remote()
        .orElseThrow(
            () ->
                new SluiceException(
                    ErrorCode.INVALID_CONFIGURATION, "this server has no remote tier"))
        .standInFor(dead, core.shuffles());
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
        new OrderlyStop(
                running.control(), running.data(), core, hasStores(), this::seal, Clock.system())
            .run(config.storage().stopTimeout().toNanos());
    started.close();
    if (left.isPresent()) {
      throw new SluiceException(
          ErrorCode.DATA_LOST,
          "stopped with " + left.getAsLong() + " bytes in memory that have reached no disk");
    }
  }

  private boolean hasStores() {
    return MemoryPlan.stores(config) > 0;
  }

  private boolean seal(long nanos) throws InterruptedException {
    // Without a directory the next start is another server.
    return !config.dataDirs().isEmpty()
        && new FinalSeal(running.stores().all(), running.identities()::seal).run(nanos);
  }
}
