package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.ClientSecurity;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.security.Secret;
import io.sluice.common.security.SecurityConfig;
import io.sluice.common.time.Clock;
import io.sluice.common.tls.RefusedHandshakes;
import io.sluice.common.tls.Tls;
import io.sluice.common.tls.TlsFiles;
import io.sluice.common.tls.TlsMaterial;
import io.sluice.proto.auth.ControlKey;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerHello;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A coordinator that believes only who proves himself, with real clients. */
final class SecuredCoordinatorTest {
  private static final Path CERTIFICATES = Path.of("../common/src/test/resources/tls");
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 1);
  private static final ShuffleKey SHUFFLE = new ShuffleKey(APPLICATION, 0, 0);

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final Path directory;
  private final Path keyFile;

  SecuredCoordinatorTest(@TempDir Path directory) {
    this.directory = directory;
    this.keyFile = directory.resolve("cluster.key");
  }

  @BeforeEach
  void makeKey() throws IOException {
    Files.writeString(keyFile, Secret.random());
  }

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  private <T extends AutoCloseable> T owned(T resource) {
    opened.add(resource);
    return resource;
  }

  private static SecurityConfig security(Map<String, String> values) {
    return SecurityConfig.from(
        new ConfigReader(List.of(SecurityConfig.SECTION)).values("test", values).read());
  }

  private SecurityConfig secrets(Map<String, String> more) {
    Map<String, String> values = new HashMap<>(more);
    values.put("security.enabled", "true");
    values.put("security.cluster-key-file", keyFile.toString());
    return security(values);
  }

  private Coordinator start(SecurityConfig security) {
    return Coordinator.start(
        TestCoordinators.config(directory.resolve("data"), Map.of()), security);
  }

  private CoordinatorClient client(Coordinator coordinator, ClientSecurity security) {
    return owned(
        CoordinatorClient.open(
            new CoordinatorClientConfig(
                List.of(coordinator.address()), Duration.ofSeconds(30), Duration.ofSeconds(5)),
            security));
  }

  private static ClientSecurity application(Secret secret) {
    return ClientSecurity.of(APPLICATION, secret, Optional.empty());
  }

  private static Registration registration() {
    return new Registration(APPLICATION, "app-1", "ada", "spark", "0.1");
  }

  private ManagedChannel member(Coordinator coordinator, ClusterKey key) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.address().port())
            .usePlaintext()
            .intercept(ControlKey.attach(key.own().controlKey()))
            .build();
    opened.add(() -> channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS));
    return channel;
  }

  private static void assertRefused(ThrowingCallable call, String why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED))
        .hasMessageContaining(why);
  }

  @Test
  void anApplicationIsBoundToItsSecretAlsoByTheNextLeader() {
    Secret secret = Secret.of(Secret.random());
    Coordinator first = start(secrets(Map.of()));
    try (CoordinatorClient owner = client(first, application(secret))) {
      owner.registerApplication(registration());
    } finally {
      first.close();
    }

    Coordinator second = owned(start(secrets(Map.of())));
    CoordinatorClient thief = client(second, application(Secret.of(Secret.random())));
    assertRefused(() -> thief.registerApplication(registration()), "another secret");
    CoordinatorClient owner = client(second, application(secret));
    assertThat(owner.registerApplication(registration()).id()).isEqualTo(APPLICATION);
  }

  @Test
  void everyCallAboutAnApplicationNeedsItsKey() throws Exception {
    Coordinator coordinator = owned(start(secrets(Map.of())));
    Secret secret = Secret.of(Secret.random());
    RegisteredApplication owned =
        client(coordinator, application(secret)).registerApplication(registration());
    TestServer server =
        new TestServer(member(coordinator, ClusterKey.read(keyFile))).greet(hello());
    assertThat(server.nextDirective().hasWelcome()).isTrue();

    // Another application, admitted as itself, names this one.
    ApplicationId other = ApplicationId.of(1, 2);
    CoordinatorClient stranger =
        client(coordinator, ClientSecurity.of(other, Secret.of(Secret.random()), Optional.empty()));
    RegisteredApplication admitted =
        stranger.registerApplication(new Registration(other, "app-2", "eve", "spark", "0.1"));
    assertRefused(() -> admitted.createShuffle(SHUFFLE, 4, 0, List.of()), "does not come from");
    admitted.removeShuffle(SHUFFLE);

    assertThat(owned.createShuffle(SHUFFLE, 4, 0, List.of()).partitions()).isEqualTo(4);
  }

  @Test
  void replicasThatServersWouldNotMakeAreRefusedWithTheSettings() throws Exception {
    Coordinator coordinator = owned(start(secrets(Map.of())));
    RegisteredApplication application =
        client(coordinator, application(Secret.of(Secret.random())))
            .registerApplication(registration());
    assertThatThrownBy(() -> application.createShuffle(SHUFFLE, 4, 2, List.of()))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("security.tls.certificate-file")
        .hasMessageContaining("spark.sluice.replicas=1");
    TestServer server =
        new TestServer(member(coordinator, ClusterKey.read(keyFile))).greet(hello());
    assertThat(server.nextDirective().hasWelcome()).isTrue();
    assertThat(application.createShuffle(SHUFFLE, 4, 1, List.of()).partitions()).isEqualTo(4);
  }

  @Test
  void whoBringsNoSecretIsToldHow() {
    Coordinator coordinator = owned(start(secrets(Map.of())));
    CoordinatorClient client = client(coordinator, ClientSecurity.off());
    assertRefused(
        () -> client.registerApplication(registration()), "spark.sluice.security.enabled=true");
    assertRefused(client::getCluster, "cluster-key-file");
    CoordinatorClient application = client(coordinator, application(Secret.of(Secret.random())));
    assertRefused(application::getCluster, "not the one of this coordinator");
  }

  @Test
  void serversAreToldVerifiersOnceTheyHaveShownTheClusterKey() throws Exception {
    Coordinator coordinator = owned(start(secrets(Map.of())));
    client(coordinator, application(Secret.of(Secret.random())))
        .registerApplication(registration());
    TestServer server =
        new TestServer(member(coordinator, ClusterKey.read(keyFile))).greet(hello());
    assertThat(server.nextDirective().hasWelcome()).isTrue();
    ServerDirective verifiers = server.nextDirective();
    assertThat(verifiers.getApplicationVerifiers().getVerifiersList())
        .singleElement()
        .satisfies(entry -> assertThat(entry.getVerifier().size()).isEqualTo(96));

    ClusterKey wrong = ClusterKey.of(List.of(Secret.of(Secret.random())));
    TestServer impostor = new TestServer(member(coordinator, wrong)).greet(hello());
    assertThat(impostor.failure()).hasMessageContaining("cluster key");
  }

  @Test
  void anOpenCoordinatorTellsNoServerWhatApplicationsProveThemselvesBy() throws Exception {
    Coordinator coordinator = owned(start(SecurityConfig.off()));
    TestServer server =
        new TestServer(member(coordinator, ClusterKey.of(List.of(Secret.of(Secret.random())))))
            .greet(hello());
    assertThat(server.failure()).hasMessageContaining("security.enabled is false here");
  }

  @Test
  void callsAreEncryptedAndMayNeedCertificates() {
    Map<String, String> files = new HashMap<>();
    files.put("security.tls.certificate-file", CERTIFICATES.resolve("first.pem").toString());
    files.put("security.tls.key-file", CERTIFICATES.resolve("first.key").toString());
    files.put("security.tls.trust-file", CERTIFICATES.resolve("authority.pem").toString());
    files.put("security.tls.client-certificates", "true");
    SecurityConfig security = secrets(files);
    Coordinator coordinator = owned(start(security));
    Secret secret = Secret.of(Secret.random());
    RefusedHandshakes refused = security.tls().orElseThrow().refused();

    CoordinatorClient known =
        client(coordinator, ClientSecurity.of(APPLICATION, secret, Optional.of(tls("second"))));
    assertThat(known.registerApplication(registration()).id()).isEqualTo(APPLICATION);
    assertThat(refused.count()).isZero();
    for (Optional<Tls> wrong :
        List.of(Optional.<Tls>empty(), Optional.of(tls("")), Optional.of(tls("foreign")))) {
      long before = refused.count();
      try (CoordinatorClient stranger =
          CoordinatorClient.open(
              new CoordinatorClientConfig(
                  List.of(coordinator.address()), Duration.ofMillis(500), Duration.ofMillis(500)),
              ClientSecurity.of(APPLICATION, secret, wrong))) {
        assertThatThrownBy(() -> stranger.registerApplication(registration()))
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE));
      }
      awaitMore(refused, before);
    }
  }

  /** A library has it below an exception of its own, which says nothing. */
  @Test
  void aCallerHearsWhyItsHandshakeFails() {
    SecurityConfig security =
        secrets(
            Map.of(
                "security.tls.certificate-file", CERTIFICATES.resolve("first.pem").toString(),
                "security.tls.key-file", CERTIFICATES.resolve("first.key").toString()));
    Coordinator coordinator = owned(start(security));
    Tls trustsOthers = tls("", "stranger");
    try (CoordinatorClient caller =
        CoordinatorClient.open(
            new CoordinatorClientConfig(
                List.of(coordinator.address()), Duration.ofMillis(500), Duration.ofMillis(500)),
            ClientSecurity.of(
                APPLICATION, Secret.of(Secret.random()), Optional.of(trustsOthers)))) {
      assertThatThrownBy(() -> caller.registerApplication(registration()))
          .hasMessageContaining("valid certification path")
          .message()
          .doesNotContain("\n");
    }
  }

  @Test
  void whoDoesNotSpeakTlsIsCountedAtBothPorts() throws Exception {
    Map<String, String> files = new HashMap<>();
    files.put("security.tls.certificate-file", CERTIFICATES.resolve("first.pem").toString());
    files.put("security.tls.key-file", CERTIFICATES.resolve("first.key").toString());
    SecurityConfig security = secrets(files);
    RefusedHandshakes refused = security.tls().orElseThrow().refused();
    Coordinator coordinator =
        owned(
            Coordinator.start(
                TestCoordinators.config(
                    directory.resolve("data"), Map.of("coordinator.http.tls", "true")),
                security));
    for (int port : List.of(coordinator.address().port(), coordinator.httpPort())) {
      long before = refused.count();
      new Socket(InetAddress.getLoopbackAddress(), port).close();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket
            .getOutputStream()
            .write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        awaitMore(refused, before);
      }
    }
    assertThat(refused.count()).isEqualTo(2);
    assertThat(metrics(coordinator))
        .contains("sluice_coordinator_tls_handshakes_refused_total 2.0");
  }

  private static String metrics(Coordinator coordinator) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {tls("").material().trustManager()}, null);
    return HttpClient.newBuilder()
        .sslContext(context)
        .build()
        .send(
            HttpRequest.newBuilder(
                    URI.create("https://127.0.0.1:" + coordinator.httpPort() + "/metrics"))
                .build(),
            BodyHandlers.ofString())
        .body();
  }

  private static void awaitMore(RefusedHandshakes refused, long before) {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (refused.count() <= before) {
      assertThat(deadline - Clock.system().nanoTime()).as("time left to be counted").isPositive();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  @Test
  void secretsDoNotCrossANetworkInTheClearUnlessThatIsWanted() {
    CoordinatorConfig open =
        TestCoordinators.config(
            directory.resolve("data"), Map.of("coordinator.bind-address", "0.0.0.0"));
    assertThatThrownBy(() -> Coordinator.start(open, secrets(Map.of())))
        .hasMessageContaining("security.trusted-network")
        .hasMessageContaining("coordinator.bind-address");
    owned(Coordinator.start(open, secrets(Map.of("security.trusted-network", "true"))));
  }

  @Test
  void settingsThatDoNotFitTogetherAreNamed() {
    assertThatThrownBy(() -> security(Map.of("security.enabled", "true")))
        .hasMessageContaining("security.enabled needs security.cluster-key-file");
    assertThatThrownBy(() -> security(Map.of("security.tls.certificate-file", "a")))
        .hasMessageContaining("go together");
    assertThatThrownBy(() -> security(Map.of("security.tls.client-certificates", "true")))
        .hasMessageContaining("need security.tls.certificate-file");
  }

  private static ServerHello hello() {
    return TestServer.hello(9, 1).toBuilder().setWantsVerifiers(true).build();
  }

  private static Tls tls(String name) {
    return tls(name, "authority");
  }

  private static Tls tls(String name, String authority) {
    return new Tls(
        TlsMaterial.open(
            new TlsFiles(
                name.isEmpty()
                    ? Optional.empty()
                    : Optional.of(CERTIFICATES.resolve(name + ".pem")),
                name.isEmpty()
                    ? Optional.empty()
                    : Optional.of(CERTIFICATES.resolve(name + ".key")),
                Optional.of(CERTIFICATES.resolve(authority + ".pem")))),
        false);
  }
}
