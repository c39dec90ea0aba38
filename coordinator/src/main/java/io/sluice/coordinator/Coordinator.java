package io.sluice.coordinator;

import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.lifecycle.StopList;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.grpc.ControlServer;
import io.sluice.coordinator.http.ClusterMetrics;
import io.sluice.coordinator.http.ControlHealth;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.coordinator.rest.HostNames;
import io.sluice.coordinator.rest.RestApi;
import io.sluice.coordinator.zookeeper.ElectionListener;
import io.sluice.coordinator.zookeeper.EmbeddedZooKeeper;
import io.sluice.coordinator.zookeeper.ZooKeeperEnsemble;
import io.sluice.coordinator.zookeeper.ZooKeeperSettings;
import io.sluice.http.CertificateMetrics;
import io.sluice.http.StatusPages;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running coordinator. Threads: one control thread that owns all state, one gRPC event loop or
 * two, two for HTTP, one that makes JSON, one that reads files, one for the election, one for calls
 * to the leader once there are any, one for ZooKeeper writes, and ZooKeeper's own.
 */
public final class Coordinator implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Coordinator.class);

  /**
   * Nobody is there to take over, so a disk that is slow for some seconds is no reason to give
   * leadership up; and a restart does not wait for the old session to end.
   */
  private static final Duration EMBEDDED_SESSION_MIN = Duration.ofSeconds(10);

  /** Whether any member of the ensemble takes connections; takes two seconds for each at most. */
  public static final ConfigCheck ZOOKEEPER_CHECK =
      ConfigCheck.over(
          List.of(CoordinatorConfig.ZOOKEEPER_CONNECT),
          (settings, problems) ->
              settings
                  .get(CoordinatorConfig.ZOOKEEPER_CONNECT)
                  .flatMap(ZooKeeperEnsemble::unreachable)
                  .ifPresent(
                      why -> problems.accept(CoordinatorConfig.ZOOKEEPER_CONNECT + ": " + why)));

  private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final StopList parts;
  private final HostPort address;
  private final int httpPort;

  private Coordinator(StopList parts, HostPort address, int httpPort) {
    this.parts = parts;
    this.address = address;
    this.httpPort = httpPort;
  }

  /**
   * Starts a coordinator and takes part in the election; does not wait for its end.
   *
   * @throws SluiceException INVALID_CONFIGURATION if an address or directory cannot be used,
   *     ADDRESS_IN_USE if a port is taken; then nothing is left running
   */
  public static Coordinator start(CoordinatorConfig config) {
    return start(config, SecurityConfig.off());
  }

  /** The same, for a coordinator that may believe only who proves himself. */
  public static Coordinator start(CoordinatorConfig config, SecurityConfig security) {
    return start(config, security, List.of());
  }

  /**
   * The same.
   *
   * @param settings what all that was read from, to be shown to operators
   */
  public static Coordinator start(
      CoordinatorConfig config, SecurityConfig security, List<Settings.Entry> settings) {
    security.checkListening(config.listen().bindAddress(), CoordinatorConfig.BIND_ADDRESS.name());
    StopList parts = new StopList();
    try {
      return assemble(config, security, settings, parts);
    } catch (RuntimeException | Error e) {
      parts.close();
      throw e;
    }
  }

  private static Coordinator assemble(
      CoordinatorConfig config,
      SecurityConfig security,
      List<Settings.Entry> settings,
      StopList parts) {
    RestDoor rest = RestDoor.of(config, security);
    ThreadScheduler control =
        new ThreadScheduler(
            "sluice-control",
            Clock.system(),
            (thread, failure) -> log.error("a task of the control thread failed", failure));
    parts.add("control thread", () -> stop(control));
    // Reading may hang where a file system does; the control thread must not.
    ThreadScheduler files =
        new ThreadScheduler(
            "sluice-files",
            Clock.system(),
            (thread, failure) -> log.error("a secret or certificate was not read again", failure));
    parts.add("watch of files", () -> stop(files));
    security.tls().ifPresent(tls -> tls.material().watch(files));
    rest.access().watch(files);
    PrometheusRegistry metrics = metrics(security, parts);
    // Before ZooKeeper: one that cannot have its ports touches no directory and waits for nobody.
    String host = config.host().orElseGet(Coordinator::hostName);
    ControlServer grpc =
        ControlServer.hold(
            address(config, config.listen().port()),
            control,
            security,
            metrics,
            config.listen().connectionsPerAddress());
    parts.add("gRPC", grpc);
    StatusPages http =
        StatusPages.bind(
            address(config, config.listen().httpPort()),
            CoordinatorConfig.HTTP_PORT.name(),
            rest.tls());
    parts.add("HTTP", http);
    ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.open(zooKeeper(config, parts));
    parts.add("ZooKeeper client", ensemble);
    ensemble.awaitConnection(
        config.zooKeeper().startTimeout(),
        CoordinatorConfig.ZOOKEEPER_CONNECT.name(),
        CoordinatorConfig.ZOOKEEPER_DIGEST_FILE.name());
    if (config.zooKeeper().connect().isEmpty()) {
      ensemble.removeCandidates();
    }
    Leadership leadership = leadership(config, control, ensemble, metrics);
    RestApi api = rest.api(control, leadership, parts);
    parts.stopFirst(grpc);
    grpc.serve(leadership, control.clock(), api, security);
    parts.stopFirst(http);
    HostPort address = new HostPort(host, grpc.port());
    http.serve(
        metrics,
        new ControlHealth(control, leadership),
        rest.site(
            api,
            security,
            new HostNames(List.of(address.host(), config.listen().bindAddress())),
            settings,
            parts));
    // Stopped before HTTP and gRPC, which may take seconds: another can lead meanwhile. And after
    // it
    // does not stand any more, or it might be elected once more and nobody depose it.
    parts.add("leadership", () -> control.execute(leadership::deposed));
    parts.add("candidacy", ensemble::withdraw);
    ensemble.elect(address.toString(), new Turns(control, leadership, address.toString()));
    log.info("coordinator {} serves; metrics and health on port {}", address, http.port());
    return new Coordinator(parts, address, http.port());
  }

  /** Emptied in the end: the JVM's metrics keep every registry that they were registered in. */
  private static PrometheusRegistry metrics(SecurityConfig security, StopList parts) {
    PrometheusRegistry metrics = new PrometheusRegistry();
    parts.add("metrics", metrics::clear);
    JvmMetrics.builder().register(metrics);
    security
        .tls()
        .ifPresent(tls -> CertificateMetrics.register(metrics, "sluice_coordinator", tls));
    return metrics;
  }

  private static InetSocketAddress address(CoordinatorConfig config, int port) {
    return new InetSocketAddress(config.listen().bindAddress(), port);
  }

  private static ZooKeeperSettings zooKeeper(CoordinatorConfig config, StopList parts) {
    CoordinatorConfig.ZooKeeper wanted = config.zooKeeper();
    if (wanted.connect().isPresent()) {
      String connect =
          wanted.connect().get().stream().map(HostPort::toString).collect(Collectors.joining(","));
      return new ZooKeeperSettings(
          connect, wanted.root(), wanted.sessionTimeout(), wanted.access());
    }
    EmbeddedZooKeeper embedded = EmbeddedZooKeeper.start(config.dataDir());
    parts.add("embedded ZooKeeper", embedded);
    Duration session =
        wanted.sessionTimeout().compareTo(EMBEDDED_SESSION_MIN) < 0
            ? EMBEDDED_SESSION_MIN
            : wanted.sessionTimeout();
    return new ZooKeeperSettings(embedded.connectString(), wanted.root(), session, wanted.access());
  }

  private static Leadership leadership(
      CoordinatorConfig config,
      ThreadScheduler control,
      ZooKeeperEnsemble ensemble,
      PrometheusRegistry registry) {
    ClusterMetrics metrics = new ClusterMetrics(registry);
    return new Leadership(
        control,
        ensemble.store(),
        ensemble::standAgain,
        (term, fenced) -> new Cluster(control, config.rules(), term, fenced, metrics));
  }

  /**
   * The host that others are told where {@code coordinator.host} is not set.
   *
   * @throws SluiceException INVALID_CONFIGURATION if it cannot be found out
   */
  public static String hostName() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new SluiceException(
          ErrorCode.INVALID_CONFIGURATION,
          "this machine's host name cannot be found out: set coordinator.host",
          e);
    }
  }

  private static void stop(ThreadScheduler thread) throws InterruptedException {
    thread.close();
    if (!thread.awaitEnd(STOP_NANOS)) {
      log.warn("a thread did not end in time");
    }
  }

  /** host:port for clients and servers, with the port really bound. */
  public HostPort address() {
    return address;
  }

  /** Port of metrics and health. */
  public int httpPort() {
    return httpPort;
  }

  /** Gives leadership up, ends all streams, stops everything. Idempotent. */
  @Override
  public void close() {
    parts.close();
  }

  /** Hands the election's turns over to the control thread. */
  private record Turns(ThreadScheduler control, Leadership leadership, String address)
      implements ElectionListener {
    @Override
    public void elected() {
      control.execute(() -> leadership.elected(address));
    }

    @Override
    public void deposed() {
      control.execute(leadership::deposed);
    }

    @Override
    public void leaderIs(String leader) {
      control.execute(() -> leadership.leaderIs(leader));
    }

    @Override
    public void candidatesAre(List<String> addresses) {
      control.execute(() -> leadership.candidatesAre(addresses));
    }
  }
}
