package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ReadOptions;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.StoreDriver;
import io.sluice.server.segment.TestBlocks;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.RemoteTierSettings.Surroundings;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A tier over an HDFS that wants Kerberos. */
class SecuredHdfsTest {
  private static final DiskOptions OPTIONS =
      DiskOptions.ssd()
          .withSizes(1 << 20, 4 << 20)
          .withWritesAtMost(1)
          .withMaxOpenFiles(64)
          .withReads(ReadOptions.ssd().withCache(8 << 20));
  private static final RemoteTierSettings.Sizes SIZES =
      new RemoteTierSettings.Sizes(OPTIONS, OPTIONS.withReads(OPTIONS.reads().withCache(0)));
  private static final ShuffleKey SHUFFLE = TestBlocks.shuffle(7);

  @RegisterExtension static final SecuredHdfs HDFS = new SecuredHdfs();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static FileSystem superuser;

  private org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path("/");

  @BeforeAll
  static void connect() throws IOException {
    superuser = HDFS.superuser();
  }

  @BeforeEach
  void makeRoot() throws IOException {
    root = HDFS.newRoot();
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
            List.of(HDFS.configuration()),
            1,
            Duration.ofSeconds(60),
            login,
            proxyUser,
            owners != Owners.NOBODY),
        new ServerId(new UUID(1, 1)),
        1,
        SIZES,
        new Surroundings(Optional.empty(), HDFS.timers(), owners));
  }

  private static Optional<RemoteStorage.Login> login() {
    return Optional.of(HDFS.login());
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
    Configuration hadoop = HadoopConfiguration.read(List.of(HDFS.configuration()));
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
    Configuration hadoop = HadoopConfiguration.read(List.of(HDFS.configuration()));
    hadoop.set("hadoop.security.auth_to_local", "RULE:[2:$1](sluice)s/sluice/elsewhere/\nDEFAULT");
    HdfsUser user = HdfsUser.login(hadoop, login(), Optional.empty());
    assertThat(user.name()).isEqualTo("elsewhere");
    // The namenode's rules are those of the process, too; a user's name is made with the login.
    hadoop.set("hadoop.security.auth_to_local", "DEFAULT");
    UserGroupInformation.setConfiguration(hadoop);

    HdfsCalls calls = new HdfsCalls(user, 4, Duration.ofSeconds(60).toNanos());
    try (HdfsClient client = HdfsClient.open(root, hadoop, calls, HDFS.timers())) {
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
                        Optional.of(
                            new RemoteStorage.Login(
                                HDFS.principal("nobody"), HDFS.keytab("sluice"))),
                        Optional.empty())))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("nobody/localhost");
  }
}
