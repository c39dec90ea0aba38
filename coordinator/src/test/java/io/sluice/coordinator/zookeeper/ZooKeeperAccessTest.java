package io.sluice.coordinator.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.StateStore;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.Servers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs.Ids;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logging in to real ZooKeepers: one in this process, one in another that speaks TLS only. */
class ZooKeeperAccessTest {
  private static final Path CERTIFICATES = Path.of("../common/src/test/resources/tls");
  private static final String ROOT = "/a/cluster";
  private static final Duration SESSION = Duration.ofSeconds(10);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path directory;

  private static <T> T get(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  private ZooKeeperAccess login(String line) throws IOException {
    Path file = Files.writeString(Files.createTempFile(directory, "login", ""), line);
    return new ZooKeeperAccess(Optional.of(file), Optional.empty(), Optional.empty());
  }

  private static ZooKeeperEnsemble open(String connect, ZooKeeperAccess access) {
    ZooKeeperEnsemble ensemble =
        ZooKeeperEnsemble.open(new ZooKeeperSettings(connect, ROOT, SESSION, access));
    ensemble.awaitConnection(Duration.ofSeconds(30), "the ensemble", "the login");
    return ensemble;
  }

  private static void writeAll(ZooKeeperEnsemble ensemble) throws Exception {
    StateStore store = ensemble.store();
    get(store.beginTerm("here:1"));
    get(store.putServer(new ServerRecord(Servers.address(1, 5), 4, false)));
    CountDownLatch elected = new CountDownLatch(1);
    ensemble.elect("here:1", elected(elected));
    assertThat(elected.await(30, TimeUnit.SECONDS)).isTrue();
  }

  private static ElectionListener elected(CountDownLatch latch) {
    return new ElectionListener() {
      @Override
      public void elected() {
        latch.countDown();
      }

      @Override
      public void deposed() {}

      @Override
      public void leaderIs(String address) {}

      @Override
      public void candidatesAre(List<String> addresses) {}
    };
  }

  private static CuratorFramework stranger(String connect) {
    CuratorFramework client = CuratorFrameworkFactory.newClient(connect, new RetryOneTime(100));
    client.start();
    return client;
  }

  @Test
  void nobodyElseReadsOrWritesNodesOfWhoLogsIn() throws Exception {
    ZooKeeperAccess access = login("sluice:a secret: with colons\n");
    try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory.resolve("data"));
        ZooKeeperEnsemble ensemble = open(server.connectString(), access);
        CuratorFramework stranger = stranger(server.connectString())) {
      writeAll(ensemble);

      for (String node : List.of("", "/term", "/servers", "/servers/" + Servers.id(1))) {
        assertThatThrownBy(() -> stranger.getData().forPath(ROOT + node))
            .as(node)
            .isInstanceOf(KeeperException.NoAuthException.class);
        assertThatThrownBy(() -> stranger.setData().forPath(ROOT + node, new byte[1]))
            .isInstanceOf(KeeperException.NoAuthException.class);
      }
      assertThatThrownBy(() -> stranger.create().forPath(ROOT + "/election/me"))
          .isInstanceOf(KeeperException.NoAuthException.class);
      assertThatThrownBy(() -> stranger.delete().forPath(ROOT + "/servers/" + Servers.id(1)))
          .isInstanceOf(KeeperException.NoAuthException.class);
      // Other clusters may lie beside this one.
      stranger.create().forPath("/a/other");
      // Another coordinator that logs in as the same user finds everything.
      try (ZooKeeperEnsemble next = open(server.connectString(), access)) {
        assertThat(get(next.store().beginTerm("there:1")).servers()).hasSize(1);
      }
    }
  }

  @Test
  void nodesFromBeforeAreTakenOver() throws Exception {
    try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory.resolve("data"));
        CuratorFramework stranger = stranger(server.connectString())) {
      try (ZooKeeperEnsemble before = open(server.connectString(), ZooKeeperAccess.OPEN)) {
        writeAll(before);
      }
      assertThat(stranger.getACL().forPath(ROOT)).isEqualTo(Ids.OPEN_ACL_UNSAFE);

      try (ZooKeeperEnsemble ensemble = open(server.connectString(), login("sluice:secret"))) {
        Term term = get(ensemble.store().beginTerm("here:2"));
        assertThat(term.servers()).hasSize(1);
        get(ensemble.store().putServer(new ServerRecord(Servers.address(1, 6), 4, false)));
      }

      for (String node :
          List.of("", "/term", "/servers", "/servers/" + Servers.id(1), "/election")) {
        assertThatThrownBy(() -> stranger.setData().forPath(ROOT + node, new byte[1]))
            .as(node)
            .isInstanceOf(KeeperException.NoAuthException.class);
      }
    }
  }

  @Test
  void aWrongLoginIsSaidAtTheStart() throws Exception {
    try (EmbeddedZooKeeper server = EmbeddedZooKeeper.start(directory.resolve("data"))) {
      try (ZooKeeperEnsemble ensemble = open(server.connectString(), login("sluice:secret"))) {
        writeAll(ensemble);
      }
      for (ZooKeeperAccess wrong : List.of(ZooKeeperAccess.OPEN, login("sluice:another"))) {
        assertThatThrownBy(() -> open(server.connectString(), wrong))
            .isInstanceOfSatisfying(
                SluiceException.class,
                e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
            .hasMessageContaining("/a/cluster/term")
            .hasMessageContaining("the login");
      }
    }
  }

  @Test
  void aFileThatIsNoLoginIsNamed() throws Exception {
    for (String line : List.of("", "sluice", ":secret", "sluice:", "a:b\nc:d")) {
      ZooKeeperAccess wrong = login(line);
      assertThatThrownBy(wrong::digest)
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
          .hasMessageContaining(wrong.digestFile().orElseThrow().toString())
          .hasMessageContaining("user:password");
    }
    Path missing = directory.resolve("missing");
    ZooKeeperAccess absent =
        new ZooKeeperAccess(Optional.of(missing), Optional.of(missing), Optional.empty());
    assertThatThrownBy(absent::digest).hasMessageContaining("missing: there is no such file");
    assertThatThrownBy(absent::clientConfig).hasMessageContaining("missing: there is no such file");
  }

  @Test
  void anEnsembleThatSpeaksTlsAndWantsACertificateIsReachedWithOneAlone() throws Exception {
    try (ZooKeeperProcess secure = secureZooKeeper(identity("first"))) {
      String connect = secure.connectString();
      ZooKeeperAccess access =
          new ZooKeeperAccess(
              login("sluice:secret").digestFile(),
              Optional.of(CERTIFICATES.resolve("authority.pem")),
              Optional.of(identity("second")));
      try (ZooKeeperEnsemble ensemble = open(connect, access)) {
        writeAll(ensemble);
      }
      // Without a certificate, with one that nobody knows, and of an authority that is not theirs.
      assertNotLetIn(connect, access.trustFile(), Optional.empty());
      assertNotLetIn(connect, access.trustFile(), Optional.of(identity("foreign")));
      assertNotLetIn(
          connect,
          Optional.of(CERTIFICATES.resolve("stranger.pem")),
          Optional.of(identity("second")));
    }
  }

  private static void assertNotLetIn(
      String connect, Optional<Path> trust, Optional<Path> identity) {
    ZooKeeperAccess access = new ZooKeeperAccess(Optional.empty(), trust, identity);
    try (ZooKeeperEnsemble ensemble =
        ZooKeeperEnsemble.open(new ZooKeeperSettings(connect, ROOT, SESSION, access))) {
      assertThatThrownBy(
              () -> ensemble.awaitConnection(Duration.ofSeconds(2), "the ensemble", "the login"))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
          .hasMessageContaining("the ensemble, over TLS");
    }
  }

  /** Certificate and key in one file, as ZooKeeper reads them. */
  private Path identity(String name) throws IOException {
    return Files.writeString(
        directory.resolve(name + "-identity.pem"),
        Files.readString(CERTIFICATES.resolve(name + ".key"))
            + Files.readString(CERTIFICATES.resolve(name + ".pem")));
  }

  private ZooKeeperProcess secureZooKeeper(Path identity) throws IOException {
    return ZooKeeperProcess.start(
        directory,
        "secureClientPort",
        List.of(
            "serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory",
            "ssl.keyStore.location=" + identity,
            "ssl.keyStore.type=PEM",
            "ssl.trustStore.location="
                + CERTIFICATES.resolve("authority.pem").toAbsolutePath().normalize(),
            "ssl.trustStore.type=PEM",
            "ssl.clientAuth=need"),
        List.of());
  }
}
