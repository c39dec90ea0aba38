package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.StoreDriver;
import io.sluice.server.segment.TestBlocks;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.RemoteTierSettings.Surroundings;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An HDFS that wants Kerberos. In a JVM of its own, since Hadoop's login and the JDK's Kerberos
 * configuration belong to the process.
 */
class SecuredHdfsTest {
  private static final DiskOptions OPTIONS =
      DiskOptions.ssd().withSizes(1 << 20, 4 << 20).withMaxOpenFiles(64);
  private static final RemoteTierSettings.Sizes SIZES =
      new RemoteTierSettings.Sizes(OPTIONS, OPTIONS.withReads(OPTIONS.reads().withCache(0)));
  private static final ShuffleKey SHUFFLE = TestBlocks.shuffle(7);

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  static Path directory;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static MiniKdc kdc;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static MiniDFSCluster cluster;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static FileSystem superuser;

  private static final ThreadScheduler TIMERS =
      new ThreadScheduler(
          "hdfs-test-timer",
          Clock.system(),
          (thread, failure) -> {
            throw new AssertionError(failure);
          });

  private static final AtomicInteger TESTS = new AtomicInteger();

  private org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path("/");

  @BeforeAll
  static void startCluster() throws Exception {
    kdc =
        new MiniKdc(MiniKdc.createConf(), Files.createDirectory(directory.resolve("kdc")).toFile());
    kdc.start();
    File hdfs = keytab("hdfs").toFile();
    kdc.createPrincipal(hdfs, "hdfs/localhost", "HTTP/localhost");
    kdc.createPrincipal(keytab("sluice").toFile(), "sluice/localhost");
    Configuration hadoop = secured();
    UserGroupInformation.setConfiguration(hadoop);
    UserGroupInformation.loginUserFromKeytab(principal("hdfs"), hdfs.toString());
    cluster =
        new MiniDFSCluster.Builder(hadoop, Files.createDirectory(directory.resolve("dfs")).toFile())
            .numDataNodes(1)
            .build();
    cluster.waitActive();
    superuser = cluster.getFileSystem();
    Configuration client = new Configuration(hadoop);
    client.set("fs.defaultFS", superuser.getUri().toString());
    try (OutputStream out = Files.newOutputStream(directory.resolve("core-site.xml"))) {
      client.writeXml(out);
    }
  }

  private static Configuration secured() {
    Configuration hadoop = new Configuration();
    String keytab = keytab("hdfs").toString();
    hadoop.set("hadoop.security.authentication", "kerberos");
    hadoop.set("hadoop.proxyuser.sluice.hosts", "*");
    hadoop.set("hadoop.proxyuser.sluice.users", "alice,bob");
    for (String service : List.of("dfs.namenode", "dfs.datanode")) {
      hadoop.set(service + ".kerberos.principal", principal("hdfs"));
      hadoop.set(service + ".keytab.file", keytab);
    }
    hadoop.set("dfs.web.authentication.kerberos.principal", principal("HTTP"));
    hadoop.set("dfs.web.authentication.kerberos.keytab", keytab);
    hadoop.set("dfs.block.access.token.enable", "true");
    hadoop.set("dfs.data.transfer.protection", "authentication");
    // Ports below 1024 or certificates would be asked for otherwise; neither is what is tested.
    hadoop.set("ignore.secure.ports.for.testing", "true");
    hadoop.set("dfs.heartbeat.interval", "1");
    hadoop.set("dfs.namenode.fs-limits.min-block-size", "4096");
    return hadoop;
  }

  private static Path keytab(String name) {
    return directory.resolve(name + ".keytab");
  }

  private static String principal(String name) {
    return name + "/localhost@" + kdc.getRealm();
  }

  @AfterAll
  static void stopCluster() {
    cluster.shutdown(true);
    kdc.stop();
    TIMERS.close();
  }

  /** As an administrator does: a folder that the servers may write. */
  @BeforeEach
  void makeRoot() throws IOException {
    root =
        superuser.makeQualified(
            new org.apache.hadoop.fs.Path("/sluice-" + TESTS.incrementAndGet()));
    superuser.mkdirs(root);
    superuser.setPermission(root, new FsPermission((short) 0777));
  }

  private RemoteTierSettings settings(
      Optional<RemoteStorage.Login> login, Optional<String> proxyUser) {
    return settings(login, proxyUser, Owners.NOBODY);
  }

  private RemoteTierSettings settings(
      Optional<RemoteStorage.Login> login, Optional<String> proxyUser, Owners owners) {
    return new RemoteTierSettings(
        new RemoteStorage(
            root.toString(),
            List.of(directory),
            1,
            Duration.ofSeconds(60),
            login,
            proxyUser,
            owners != Owners.NOBODY),
        new ServerId(new UUID(1, 1)),
        1,
        SIZES,
        new Surroundings(Optional.empty(), TIMERS, owners));
  }

  private static Optional<RemoteStorage.Login> login() {
    return Optional.of(new RemoteStorage.Login(principal("sluice"), keytab("sluice")));
  }

  private static List<Extent> writeAndRead(RemoteTier tier) {
    StoreDriver driver = new StoreDriver(tier.store());
    List<Extent> written = driver.write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 4, 90_000));
    assertThat(driver.read(written.get(0))).isEqualTo(TestBlocks.extent(1, 4, 90_000));
    return written;
  }

  private String ownerOfSegments() throws IOException {
    RemoteIterator<LocatedFileStatus> files = superuser.listFiles(root, true);
    return files.next().getOwner();
  }

  @Test
  void writesAndReadsWithItsKeytab() throws IOException {
    try (RemoteTier tier = HdfsTier.open(settings(login(), Optional.empty()))) {
      writeAndRead(tier);

      assertThat(ownerOfSegments()).isEqualTo("sluice");
    }
  }

  @Test
  void writesInTheNameOfAnotherUserWhereHdfsAllowsIt() throws IOException {
    try (RemoteTier tier = HdfsTier.open(settings(login(), Optional.of("alice")))) {
      writeAndRead(tier);

      assertThat(ownerOfSegments()).isEqualTo("alice");
    }
  }

  @Test
  void segmentsAreTheirApplicationsUsersAndServedByWhoeverHasTheKeytab() throws IOException {
    Owners alice = application -> "alice";
    List<Extent> written;
    try (RemoteTier tier = HdfsTier.open(settings(login(), Optional.empty(), alice))) {
      written = writeAndRead(tier);
      assertThat(ownerOfSegments()).isEqualTo("alice");
    }
    try (RemoteTier again = HdfsTier.open(settings(login(), Optional.empty()))) {
      assertThat(new StoreDriver(again.store()).read(written.get(0)))
          .isEqualTo(TestBlocks.extent(1, 4, 90_000));
      again.store().remove(SHUFFLE);
    }
    assertThat(superuser.listFiles(root, true).hasNext()).isFalse();
  }

  @Test
  void aUserForWhomItMayNotActCostsTheOwnershipOnly() throws IOException {
    try (RemoteTier tier =
        HdfsTier.open(settings(login(), Optional.empty(), application -> "hdfs"))) {
      writeAndRead(tier);
      assertThat(ownerOfSegments()).isEqualTo("sluice");
    }
  }

  @Test
  void deletesWhatBelongsToAUserForWhomItMayNotAct() throws IOException {
    try (RemoteTier tier =
        HdfsTier.open(settings(login(), Optional.empty(), application -> "alice"))) {
      writeAndRead(tier);
      superuser.setOwner(superuser.listFiles(root, true).next().getPath(), "hdfs", "hdfs");

      tier.store().remove(SHUFFLE);
    }
    assertThat(superuser.listFiles(root, true).hasNext()).isFalse();
  }

  @Test
  void getsANewTicketWhenItsOwnIsGone() throws Exception {
    Configuration hadoop = HadoopConfiguration.read(List.of(directory));
    HdfsUser user = HdfsUser.login(hadoop, login(), Optional.empty());
    // Else Hadoop refuses a second login within a minute.
    hadoop.set("hadoop.kerberos.min.seconds.before.relogin", "0");
    UserGroupInformation.setConfiguration(hadoop);
    user.login().logoutUserFromKeytab();

    assertThat(rootExists(user, hadoop)).isTrue();
    user.login().logoutUserFromKeytab();
    assertThat(rootExists(user.inTheNameOf("alice"), hadoop)).as("as alice").isTrue();
  }

  @Test
  void knowsItsNameFromHdfsWhereTheClientCallsItOtherwise() throws Exception {
    Configuration hadoop = HadoopConfiguration.read(List.of(directory));
    hadoop.set("hadoop.security.auth_to_local", "RULE:[2:$1](sluice)s/sluice/elsewhere/\nDEFAULT");
    HdfsUser user = HdfsUser.login(hadoop, login(), Optional.empty());
    assertThat(user.name()).isEqualTo("elsewhere");
    // The namenode's rules are those of the process, too; a user's name is made with the login.
    hadoop.set("hadoop.security.auth_to_local", "DEFAULT");
    UserGroupInformation.setConfiguration(hadoop);

    HdfsCalls calls = new HdfsCalls(user, 4, Duration.ofSeconds(60).toNanos());
    try (HdfsClient client = HdfsClient.open(root, hadoop, calls, TIMERS)) {
      ServerFolders folders = new ServerFolders(client, root, new ServerId(new UUID(1, 1)));

      assertThat(folders.serverName()).isEqualTo("sluice");
    }
  }

  private boolean rootExists(HdfsUser user, Configuration hadoop) throws Exception {
    return user.doAs(
        () -> {
          try (FileSystem files = FileSystem.newInstance(root.toUri(), hadoop)) {
            return files.exists(root);
          }
        });
  }

  @Test
  void saysWhatIsMissingWhenItCannotLogIn() {
    assertThatThrownBy(() -> HdfsTier.open(settings(Optional.empty(), Optional.empty())))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("keytab");
    assertThatThrownBy(
            () ->
                HdfsTier.open(
                    settings(
                        Optional.of(new RemoteStorage.Login(principal("nobody"), keytab("sluice"))),
                        Optional.empty())))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("nobody/localhost");
  }
}
