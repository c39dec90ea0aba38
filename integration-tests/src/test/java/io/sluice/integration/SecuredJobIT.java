package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sluice.benchmarks.hadoop.HadoopJob;
import io.sluice.benchmarks.hadoop.HadoopProcess;
import io.sluice.benchmarks.hadoop.HadoopResult;
import io.sluice.cli.ExitCode;
import io.sluice.cli.cluster.ClusterCommand;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.cli.spark.Fingerprint;
import io.sluice.cli.spark.JobFailedException;
import io.sluice.cli.spark.JobRequest;
import io.sluice.cli.spark.SparkDriver;
import io.sluice.cli.spark.SparkSettings;
import io.sluice.client.ClientSecurity;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Secret;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import io.sluice.integration.quorum.Until;
import io.sluice.operations.MonitoringQueries;
import io.sluice.operations.Prometheus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

/** Spark jobs through a cluster that encrypts and believes only who proves himself. */
@ExtendWith(OwnShuffle.Extension.class)
class SecuredJobIT {
  private static final Path CERTIFICATES =
      Path.of("../common/src/test/resources/tls").toAbsolutePath().normalize();
  private static final Path AUTHORITY = CERTIFICATES.resolve("authority.pem");
  private static final JobRequest REQUEST =
      new JobRequest("repartition", 400_000, 40, 8, false, "", false);

  private static @Nullable Runs shared;
  private static @Nullable LocalCluster cluster;
  private static @Nullable Fingerprint expected;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    shared = new Runs("secured");
    Path key = Files.writeString(shared.path().resolve("cluster.key"), Secret.random());
    showCertificate("first");
    Map<String, String> security = new HashMap<>();
    security.put("security.enabled", "true");
    security.put("security.cluster-key-file", key.toString());
    security.put("security.tls.certificate-file", shared.path().resolve("own.pem").toString());
    security.put("security.tls.key-file", shared.path().resolve("own.key").toString());
    security.put("security.tls.trust-file", AUTHORITY.toString());
    Map<String, String> server = new HashMap<>(security);
    server.put("server.grpc.port", "0");
    server.put("server.connections.max", "64");
    cluster = shared.cluster(1, "512m", server, security);
    expected = own.faultJob(REQUEST);
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  private static void showCertificate(String name) throws IOException {
    for (String kind : List.of("pem", "key")) {
      Path next = runs().path().resolve("next." + kind);
      Files.copy(CERTIFICATES.resolve(name + "." + kind), next);
      Files.move(next, runs().path().resolve("own." + kind), StandardCopyOption.ATOMIC_MOVE);
    }
  }

  @Test
  void jobsAreExactWhileTheCertificateIsReplacedUnderThem() throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    LocalServer server = cluster().servers().get(0);
    int jobs = 0;
    try (SparkDriver driver = runs().faultDriver(through(Map.of()))) {
      assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
      showCertificate("second");
      while (server.metrics(http).sum("sluice_server_certificate_reloads_total") < 1) {
        assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
        assertThat(++jobs).as("jobs until the new certificate was seen").isLessThan(100);
      }
      assertThat(driver.run(REQUEST, Runs.DEADLINE).fingerprint()).isEqualTo(expected);
    }
    assertThat(server.metrics(http).sum("sluice_server_authentications_total")).isPositive();
    assertThat(runs().lastLog()).doesNotContain("spark.sluice.secret=");
  }

  @Test
  void aJobThatDerivesItsSecretFromSparksIsExactOverGrpc() throws Exception {
    assertExact(
        Map.of(
            "spark.sluice.transport", "grpc",
            "spark.authenticate", "true",
            "spark.authenticate.secret", "shared by the whole installation"));
  }

  private static void assertExact(Map<String, String> properties) throws Exception {
    assertThat(runs().faultJob(through(properties), REQUEST).fingerprint()).isEqualTo(expected);
  }

  private static SparkSettings through(Map<String, String> properties) throws IOException {
    Map<String, String> all = new HashMap<>(properties);
    all.put("spark.sluice.security.enabled", "true");
    all.put("spark.sluice.tls.enabled", "true");
    all.put("spark.sluice.tls.trustFile", AUTHORITY.toString());
    return runs().through(cluster(), Runs.LOCAL, all);
  }

  /** By a secret of its own, made of the key that Hadoop makes for each job. */
  @Test
  void aMapReduceJobIsExactAndOneThatProvesNothingIsRefused() throws Exception {
    HadoopProcess hadoop = runs().hadoop(HadoopProcess.Framework.LOCAL);
    HadoopJob job = new HadoopJob("secondary", 3, 2, 50_000);
    HadoopJob encrypted =
        runs()
            .through(cluster(), job)
            .with(
                Map.of(
                    "mapreduce.sluice.tls.enabled",
                    "true",
                    "mapreduce.sluice.tls.trust-file",
                    AUTHORITY.toString()));

    HadoopResult through =
        hadoop.run(
            encrypted.with(Map.of("mapreduce.sluice.security.enabled", "true")), Runs.DEADLINE);
    assertThat(through.digest()).isEqualTo(hadoop.run(job, Runs.DEADLINE).digest());
    assertThatThrownBy(() -> hadoop.run(encrypted, Runs.DEADLINE))
        .isInstanceOf(JobFailedException.class);
    assertThat(runs().localHadoopLog()).contains("AUTHENTICATION_FAILED");
  }

  /**
   * Here, because this cluster has everything that can be measured: disks, certificates, proofs.
   */
  @Test
  void everythingThatAlertsAndDashboardsAskAboutIsExposed() throws Exception {
    LocalServer server = cluster().servers().get(0);
    Optional<Prometheus> prometheus =
        Prometheus.start(
            runs().path().resolve("prometheus"),
            List.of(cluster().coordinatorHttp()),
            List.of(server.announcement().http()));
    try {
      assertExact(Map.of());
      MonitoringQueries monitoring = MonitoringQueries.read();
      Set<String> exposed = cluster().coordinatorMetrics().names();
      exposed.addAll(server.metrics(HttpClient.newHttpClient()).names());

      assertThat(exposed).containsAll(monitoring.metrics());
      assumeThat(prometheus).as("a Prometheus on this machine").isPresent();
      Prometheus reader = prometheus.orElseThrow();
      assertThat(reader.awaitScrape()).as("read by Prometheus").isTrue();
      assertThat(reader.names()).containsAll(monitoring.metrics());
      for (String query : monitoring.queries()) {
        assertThat(reader.ask(query)).as(query).isEqualTo("success");
      }
    } finally {
      prometheus.ifPresent(Prometheus::close);
    }
  }

  @Test
  void aJobThatProvesNothingIsToldHow() throws Exception {
    SparkSettings settings =
        runs()
            .through(
                cluster(),
                Runs.LOCAL,
                Map.of(
                    "spark.sluice.tls.enabled",
                    "true",
                    "spark.sluice.tls.trustFile",
                    AUTHORITY.toString()));
    assertThatThrownBy(() -> runs().faultJob(settings, REQUEST))
        .hasMessageContaining("AUTHENTICATION_FAILED")
        .hasMessageContaining("spark.sluice.security.enabled=true");
  }

  @Test
  void anotherSecretForTheSameApplicationIsRefusedAndDoesItNoHarm() {
    ApplicationId application = new ApplicationId(UUID.randomUUID());
    try (CoordinatorClient owner = coordinators(application);
        RegisteredApplication owned = owner.registerApplication(registration(application));
        CoordinatorClient thief = coordinators(application)) {
      assertThatThrownBy(() -> thief.registerApplication(registration(application)))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED))
          .hasMessageContaining(application.toString());
      assertThatThrownBy(thief::getCluster).hasMessageContaining("cluster key");
      assertThat(owner.registerApplication(registration(application)).id()).isEqualTo(owned.id());
    }
  }

  @Test
  void theCommandShowsTheClusterToWhoeverHasItsKey() {
    String key = runs().path().resolve("cluster.key").toString();
    assertThat(status("--tls-trust-file", AUTHORITY.toString(), "--cluster-key-file", key))
        .isEqualTo(ExitCode.OK);
    assertThat(status("--tls-trust-file", AUTHORITY.toString())).isNotEqualTo(ExitCode.OK);
    assertThat(status("--cluster-key-file", key)).isNotEqualTo(ExitCode.OK);
  }

  @Test
  void whoDoesNotSpeakTlsIsCountedByServersAndCoordinators() throws Exception {
    HttpClient http = HttpClient.newHttpClient();
    LocalServer server = cluster().servers().get(0);
    double before = server.metrics(http).sum("sluice_server_tls_handshakes_refused_total");
    try (Socket plain = connect(server.announcement().address())) {
      plain.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      Until.holds(
          "the server has counted it",
          () -> server.metrics(http).sum("sluice_server_tls_handshakes_refused_total") > before);
    }
    double others =
        cluster().coordinatorMetrics().sum("sluice_coordinator_tls_handshakes_refused_total");
    try (Socket plain = connect(cluster().coordinatorAddress())) {
      plain.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      Until.holds(
          "the coordinator has counted it",
          () ->
              cluster().coordinatorMetrics().sum("sluice_coordinator_tls_handshakes_refused_total")
                  > others);
    }
  }

  private static Socket connect(String address) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), HostPort.parse(address).port());
  }

  private static int status(String... options) {
    List<String> line = new ArrayList<>(List.of("status"));
    line.addAll(List.of("--coordinator", cluster().coordinatorAddress()));
    line.addAll(List.of(options));
    return ExitCode.run(new CommandLine(new ClusterCommand()), line.toArray(new String[0]));
  }

  private static Registration registration(ApplicationId application) {
    return new Registration(application, "by-hand", "test", "none", "0");
  }

  /** As an application, with a secret that nobody else has. */
  private static CoordinatorClient coordinators(ApplicationId application) {
    return CoordinatorClient.open(
        CoordinatorClientConfig.of(List.of(HostPort.parse(cluster().coordinatorAddress()))),
        ClientSecurity.of(application, Secret.of(Secret.random()), Optional.of(tls())));
  }

  private static Tls tls() {
    return new Tls(
        TlsMaterial.open(new TlsFiles(Optional.empty(), Optional.empty(), Optional.of(AUTHORITY))),
        false);
  }

  private static LocalCluster cluster() {
    return Objects.requireNonNull(cluster);
  }

  private static Runs runs() {
    return Objects.requireNonNull(shared);
  }
}
