package io.sluice.coordinator;

import io.sluice.common.config.ConfigCheck;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSection;
import io.sluice.common.config.HostPort;
import io.sluice.common.config.Settings;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.coordinator.application.LeaseTerms;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.coordinator.membership.SilenceLimits;
import io.sluice.coordinator.zookeeper.ZooKeeperAccess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * What a coordinator can be told.
 *
 * @param host under which clients and servers reach it; empty: the machine's own name
 * @param http the REST interface and the web page
 * @param zooKeeper the ensemble; empty: one embedded in this process
 */
public record CoordinatorConfig(
    Optional<String> host,
    Listen listen,
    Http http,
    Path dataDir,
    ZooKeeper zooKeeper,
    ClusterRules rules) {

  /**
   * Where it listens; port 0 is any free port.
   *
   * @param connectionsPerAddress to the gRPC port; without it half of all
   */
  public record Listen(
      String bindAddress, int port, int httpPort, Optional<Integer> connectionsPerAddress) {}

  /**
   * Who may use the REST interface, and how.
   *
   * @param adminCertificates names as in certificates, in the notation of RFC 2253
   */
  public record Http(
      boolean tls,
      Optional<Path> readTokenFile,
      Optional<Path> adminTokenFile,
      Optional<String> adminCertificates) {}

  /** Which ZooKeeper. */
  public record ZooKeeper(
      Optional<List<HostPort>> connect,
      String root,
      Duration sessionTimeout,
      Duration startTimeout,
      ZooKeeperAccess access) {}

  public static final ConfigKey<Optional<String>> HOST =
      ConfigKey.host("coordinator.host")
          .doc(
              "Name or address under which clients and servers reach this coordinator. Without it,"
                  + " the machine's own host name.")
          .optional();
  public static final ConfigKey<String> BIND_ADDRESS =
      ConfigKey.host("coordinator.bind-address")
          .doc("Local address to listen on.")
          .defaultsTo("0.0.0.0");
  public static final ConfigKey<Integer> PORT =
      ConfigKey.integer("coordinator.port")
          .doc("gRPC port. 0 takes any free one.")
          .between("0", "65535")
          .defaultsTo("7400");
  public static final ConfigKey<Optional<Integer>> CONNECTIONS_PER_ADDRESS =
      ConfigKey.integer("coordinator.connections-per-address")
          .doc(
              "How many connections to the gRPC port one address may have: each server and driver"
                  + " has one. Without it, half of those that the limit of open files allows. Many"
                  + " drivers behind one address count together, and so does an IPv6 network of 64"
                  + " bits.")
          .between("1", "1000000")
          .optional();
  public static final ConfigKey<Integer> HTTP_PORT =
      ConfigKey.integer("coordinator.http.port")
          .doc(
              "Port of the web page, the REST interface, /metrics, /health/live and /health/ready."
                  + " 0 takes any free one.")
          .between("0", "65535")
          .defaultsTo("7401");
  public static final ConfigKey<Boolean> HTTP_TLS =
      ConfigKey.bool("coordinator.http.tls")
          .doc(
              "Whether that port speaks TLS, with the certificates of `security.tls`; for scrapes"
                  + " and probes too.")
          .defaultsTo("false");
  public static final ConfigKey<Optional<Path>> HTTP_READ_TOKEN_FILE =
      ConfigKey.path("coordinator.http.read-token-file")
          .doc("File with the token of those who may look at everything over REST.")
          .optional();
  public static final ConfigKey<Optional<Path>> HTTP_ADMIN_TOKEN_FILE =
      ConfigKey.path("coordinator.http.admin-token-file")
          .doc(
              "File with the token of those who may also change things. With neither token nor"
                  + " certificates configured, everybody may do everything if security is off, and"
                  + " nobody anything over REST if it is on.")
          .optional();
  public static final ConfigKey<Optional<String>> HTTP_ADMIN_CERTIFICATES =
      ConfigKey.text("coordinator.http.admin-certificates")
          .doc(
              "Names in client certificates, such as `CN=ops,O=Example`, that may change things;"
                  + " several with semicolons. Other certificates may look. Needs"
                  + " `coordinator.http.tls` and `security.tls.client-certificates`.")
          .optional();
  public static final ConfigKey<Path> DATA_DIR =
      ConfigKey.path("coordinator.data-dir")
          .doc("Directory of the embedded ZooKeeper. Unused with an ensemble of your own.")
          .defaultsTo("data/coordinator");
  public static final ConfigKey<Optional<List<HostPort>>> ZOOKEEPER_CONNECT =
      ConfigKey.hostPorts("coordinator.zookeeper.connect")
          .doc(
              "ZooKeeper ensemble, needed for more than one coordinator. Without it, this"
                  + " coordinator runs a ZooKeeper in its own process.")
          .optional();
  public static final ConfigKey<String> ZOOKEEPER_ROOT =
      ConfigKey.text("coordinator.zookeeper.root")
          .doc("Node under which this cluster keeps its state; one per cluster.")
          .defaultsTo("/sluice");
  public static final ConfigKey<Duration> ZOOKEEPER_SESSION_TIMEOUT =
      ConfigKey.duration("coordinator.zookeeper.session-timeout")
          .doc(
              "A leader silent for this long is replaced. ZooKeeper allows no less than two of its"
                  + " ticks: with 3s its tickTime should be 1000.")
          .between("2s", "2m")
          .defaultsTo("3s");
  public static final ConfigKey<Duration> ZOOKEEPER_START_TIMEOUT =
      ConfigKey.duration("coordinator.zookeeper.start-timeout")
          .doc(
              "How long a start waits for ZooKeeper, with nothing else started, before it counts as"
                  + " wrongly configured.")
          .between("1s", "1h")
          .defaultsTo("1m");
  public static final ConfigKey<Optional<Path>> ZOOKEEPER_DIGEST_FILE =
      ConfigKey.path("coordinator.zookeeper.digest-file")
          .doc(
              "File with one line, `user:password`, the same for all coordinators: they log in to"
                  + " ZooKeeper with it (scheme `digest`), and nobody else can read or write the"
                  + " cluster's nodes. Nodes from before are taken over. Without TLS whoever"
                  + " listens on the network learns it.")
          .optional();
  public static final ConfigKey<Optional<Path>> ZOOKEEPER_TLS_TRUST_FILE =
      ConfigKey.path("coordinator.zookeeper.tls.trust-file")
          .doc(
              "Authorities in PEM that have signed the ensemble's certificates. With it connections"
                  + " to ZooKeeper are encrypted; `coordinator.zookeeper.connect` then names its"
                  + " secure client ports.")
          .optional();
  public static final ConfigKey<Optional<Path>> ZOOKEEPER_TLS_IDENTITY_FILE =
      ConfigKey.path("coordinator.zookeeper.tls.identity-file")
          .doc(
              "Certificate, those that sign it, and its private key (PKCS #8, without a password)"
                  + " in one PEM file, for ensembles that want to see one.")
          .optional();
  public static final ConfigKey<Duration> SERVER_HEARTBEAT_INTERVAL =
      ConfigKey.duration("coordinator.server.heartbeat-interval")
          .doc("How often shuffle servers report.")
          .between("10ms", "1m")
          .defaultsTo("1s");
  public static final ConfigKey<Duration> SERVER_SUSPECT_AFTER =
      ConfigKey.duration("coordinator.server.suspect-after")
          .doc("Silence after which a server gets no new data; nothing is given up.")
          .between("20ms", "10m")
          .defaultsTo("5s");
  public static final ConfigKey<Duration> SERVER_LOST_AFTER =
      ConfigKey.duration("coordinator.server.lost-after")
          .doc("Silence after which a server's memory counts as lost.")
          .between("50ms", "1h")
          .defaultsTo("30s");
  public static final ConfigKey<Duration> SERVER_RESTART_GRACE =
      ConfigKey.duration("coordinator.server.restart-grace")
          .doc(
              "How long a server that was stopped in order is waited for before its data counts as"
                  + " lost. Its stop, which writes memory to disk, is part of that.")
          .between("100ms", "1h")
          .defaultsTo("2m");
  public static final ConfigKey<Duration> SERVER_FORGET_AFTER =
      ConfigKey.duration("coordinator.server.forget-after")
          .doc(
              "How long it is kept that a server is to be drained or excluded once nobody knows the"
                  + " server any more, which is an hour after it was lost.")
          .between("1h", "3650d")
          .defaultsTo("30d");
  public static final ConfigKey<Duration> APPLICATION_HEARTBEAT_INTERVAL =
      ConfigKey.duration("coordinator.application.heartbeat-interval")
          .doc("How often applications say that they live.")
          .between("10ms", "10m")
          .defaultsTo("10s");
  public static final ConfigKey<Duration> APPLICATION_EXPIRE_AFTER =
      ConfigKey.duration("coordinator.application.expire-after")
          .doc("Silence after which an application has ended and its data is dropped.")
          .between("50ms", "7d")
          .defaultsTo("5m");
  public static final ConfigKey<PlacementStyle> PLACEMENT =
      ConfigKey.oneOf("coordinator.placement", PlacementStyle.class)
          .doc(
              "How shuffles are dealt out to servers, for applications that do not say:"
                  + " balanced to all of them by what each has free, packed to few, zone-local to"
                  + " those of one zone.")
          .defaultsTo("balanced");

  public static final ConfigSection SECTION =
      ConfigSection.of(
              "Coordinator",
              "Read by `sluice coordinator run`.",
              List.of(
                  HOST,
                  BIND_ADDRESS,
                  PORT,
                  CONNECTIONS_PER_ADDRESS,
                  HTTP_PORT,
                  HTTP_TLS,
                  HTTP_READ_TOKEN_FILE,
                  HTTP_ADMIN_TOKEN_FILE,
                  HTTP_ADMIN_CERTIFICATES,
                  DATA_DIR,
                  ZOOKEEPER_CONNECT,
                  ZOOKEEPER_ROOT,
                  ZOOKEEPER_SESSION_TIMEOUT,
                  ZOOKEEPER_START_TIMEOUT,
                  ZOOKEEPER_DIGEST_FILE,
                  ZOOKEEPER_TLS_TRUST_FILE,
                  ZOOKEEPER_TLS_IDENTITY_FILE,
                  SERVER_HEARTBEAT_INTERVAL,
                  SERVER_SUSPECT_AFTER,
                  SERVER_LOST_AFTER,
                  SERVER_RESTART_GRACE,
                  SERVER_FORGET_AFTER,
                  APPLICATION_HEARTBEAT_INTERVAL,
                  APPLICATION_EXPIRE_AFTER,
                  PLACEMENT))
          .withChecks(
              ConfigCheck.differentPorts(List.of(PORT, HTTP_PORT), List.of()),
              ordered(SERVER_HEARTBEAT_INTERVAL, 2, SERVER_SUSPECT_AFTER),
              ordered(SERVER_SUSPECT_AFTER, 2, SERVER_LOST_AFTER),
              ordered(SERVER_LOST_AFTER, 1, SERVER_RESTART_GRACE),
              ordered(APPLICATION_HEARTBEAT_INTERVAL, 3, APPLICATION_EXPIRE_AFTER),
              needs(ZOOKEEPER_TLS_IDENTITY_FILE, ZOOKEEPER_TLS_TRUST_FILE),
              needs(ZOOKEEPER_TLS_TRUST_FILE, ZOOKEEPER_CONNECT),
              ConfigCheck.over(
                  List.of(ZOOKEEPER_ROOT),
                  (settings, problems) -> checkRoot(settings.get(ZOOKEEPER_ROOT), problems)));

  /** Room for lost messages: so many of the shorter must fit into the longer. */
  private static ConfigCheck ordered(
      ConfigKey<Duration> shorter, int times, ConfigKey<Duration> longer) {
    return ConfigCheck.over(
        List.of(shorter, longer),
        (settings, problems) -> {
          if (settings.get(shorter).multipliedBy(times).compareTo(settings.get(longer)) > 0) {
            problems.accept(longer + " must be at least " + times + " x " + shorter);
          }
        });
  }

  private static <T> ConfigCheck needs(
      ConfigKey<Optional<Path>> one, ConfigKey<Optional<T>> other) {
    return ConfigCheck.over(
        List.of(one, other),
        (settings, problems) -> {
          if (settings.get(one).isPresent() && settings.get(other).isEmpty()) {
            problems.accept(one + " needs " + other);
          }
        });
  }

  private static void checkRoot(String root, Consumer<String> problems) {
    if (!root.matches("(/[A-Za-z0-9_.-]+)+") || root.matches(".*/\\.{1,2}(/.*)?")) {
      problems.accept(ZOOKEEPER_ROOT + " = " + root + " is not an absolute path such as /sluice");
    }
  }

  static ZooKeeperAccess zooKeeperAccess(Settings settings) {
    return new ZooKeeperAccess(
        settings.get(ZOOKEEPER_DIGEST_FILE),
        settings.get(ZOOKEEPER_TLS_TRUST_FILE),
        settings.get(ZOOKEEPER_TLS_IDENTITY_FILE));
  }

  public static CoordinatorConfig from(Settings settings) {
    return new CoordinatorConfig(
        settings.get(HOST),
        new Listen(
            settings.get(BIND_ADDRESS),
            settings.get(PORT),
            settings.get(HTTP_PORT),
            settings.get(CONNECTIONS_PER_ADDRESS)),
        new Http(
            settings.get(HTTP_TLS),
            settings.get(HTTP_READ_TOKEN_FILE),
            settings.get(HTTP_ADMIN_TOKEN_FILE),
            settings.get(HTTP_ADMIN_CERTIFICATES)),
        settings.get(DATA_DIR),
        new ZooKeeper(
            settings.get(ZOOKEEPER_CONNECT),
            settings.get(ZOOKEEPER_ROOT),
            settings.get(ZOOKEEPER_SESSION_TIMEOUT),
            settings.get(ZOOKEEPER_START_TIMEOUT),
            zooKeeperAccess(settings)),
        new ClusterRules(
            new SilenceLimits(
                settings.get(SERVER_SUSPECT_AFTER).toNanos(),
                settings.get(SERVER_LOST_AFTER).toNanos(),
                settings.get(SERVER_RESTART_GRACE).toNanos()),
            new LeaseTerms(
                settings.get(APPLICATION_HEARTBEAT_INTERVAL).toNanos(),
                settings.get(APPLICATION_EXPIRE_AFTER).toNanos()),
            settings.get(SERVER_HEARTBEAT_INTERVAL).toMillis(),
            settings.get(PLACEMENT),
            settings.get(SERVER_FORGET_AFTER).toMillis()));
  }
}
