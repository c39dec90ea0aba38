package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ReadOptions;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreDriver;
import io.sluice.server.segment.TestBlocks;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.RemoteTierSettings.Surroundings;
import io.sluice.server.tier.RemoteTiers;
import io.sluice.server.tier.SpareFolder;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Segments that belong to the users of their applications, on a real HDFS. */
class SegmentOwnersTest {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  private static final DiskOptions OPTIONS =
      DiskOptions.ssd()
          .withSizes(1 << 20, 4 << 20)
          .withWritesAtMost(1)
          .withMaxOpenFiles(64)
          .withReads(ReadOptions.ssd().withCache(8 << 20));
  private static final RemoteTierSettings.Sizes SIZES =
      new RemoteTierSettings.Sizes(OPTIONS, OPTIONS.withReads(OPTIONS.reads().withCache(0)));
  private static final String SERVER = System.getProperty("user.name");

  private final Path root = HDFS.newFolder();
  private final ServerId first = new ServerId(new UUID(1, 1));
  private final ServerId second = new ServerId(new UUID(2, 2));
  private final Map<ApplicationId, String> users = new HashMap<>();
  private final List<RemoteTier> opened = new ArrayList<>();
  private final List<FileSystem> connected = new ArrayList<>();

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  java.nio.file.Path catalog;

  private RemoteTier open(ServerId server, long incarnation, Owners owners) {
    return open(server, incarnation, owners, Optional.empty());
  }

  /**
   * @param local where a catalog is kept; without, headers are read
   */
  private RemoteTier open(
      ServerId server, long incarnation, Owners owners, Optional<java.nio.file.Path> local) {
    RemoteTier tier =
        RemoteTiers.open(
            new RemoteTierSettings(
                new RemoteStorage(
                    root.toString(),
                    List.of(),
                    MiniHdfs.REPLICATION,
                    Duration.ofSeconds(60),
                    Optional.empty(),
                    Optional.empty(),
                    owners != Owners.NOBODY),
                server,
                incarnation,
                SIZES,
                new Surroundings(local.map(SpareFolder::new), HDFS.timers(), owners)));
    opened.add(tier);
    return tier;
  }

  private RemoteTier open() {
    return open(first, 1, users::get);
  }

  @AfterEach
  void closeAll() throws IOException {
    opened.forEach(RemoteTier::close);
    for (FileSystem files : connected) {
      files.close();
    }
  }

  /** A shuffle of an application of this user; of nobody known if that is empty. */
  private ShuffleKey shuffleOf(String user, int number) {
    ApplicationId application = ApplicationId.of(77, number);
    if (!user.isEmpty()) {
      users.put(application, user);
    }
    return new ShuffleKey(application, number, 0);
  }

  private static Extent write(RemoteTier tier, ShuffleKey shuffle) {
    return new StoreDriver(tier.store())
        .write(shuffle, unit -> TestBlocks.stage(unit, 3, 4, 90_000))
        .get(0);
  }

  private static void assertReads(SegmentStore store, Extent extent) {
    assertThat(new StoreDriver(store).read(extent)).isEqualTo(TestBlocks.extent(3, 4, 90_000));
  }

  private Map<String, FileStatus> segments() throws IOException {
    Map<String, FileStatus> byApplication = new HashMap<>();
    var found = HDFS.cluster().getFileSystem().listFiles(root, true);
    while (found.hasNext()) {
      FileStatus file = found.next();
      byApplication.put(file.getPath().getName().substring(17, 53), file);
    }
    return byApplication;
  }

  private FileStatus segment(ShuffleKey shuffle) throws IOException {
    FileStatus found = segments().get(shuffle.application().toString());
    assertThat(found).as("segment of %s", shuffle).isNotNull();
    return found;
  }

  private static <T> T as(String user, PrivilegedExceptionAction<T> action)
      throws IOException, InterruptedException {
    return UserGroupInformation.createRemoteUser(user).doAs(action);
  }

  @Test
  void aSegmentBelongsToTheUserOfItsApplicationOrElseToTheServer() throws IOException {
    RemoteTier tier = open();
    ShuffleKey ofAlice = shuffleOf("alice", 1);
    ShuffleKey ofBob = shuffleOf("bob", 2);
    ShuffleKey ofNobody = shuffleOf("", 3);
    for (ShuffleKey shuffle : List.of(ofAlice, ofBob, ofNobody, ofAlice)) {
      assertReads(tier.store(), write(tier, shuffle));
    }

    assertThat(segment(ofAlice).getOwner()).isEqualTo("alice");
    assertThat(segment(ofAlice).getPermission()).isEqualTo(new FsPermission((short) 0600));
    assertThat(segment(ofBob).getOwner()).isEqualTo("bob");
    assertThat(segment(ofNobody).getOwner()).isEqualTo(SERVER);
  }

  @Test
  void usersCanNeitherSeeNorTouchWhatIsNotTheirs() throws Exception {
    RemoteTier tier = open();
    ShuffleKey ofAlice = shuffleOf("alice", 1);
    Extent extent = write(tier, ofAlice);
    Path file = segment(ofAlice).getPath();

    as(
        "bob",
        () -> {
          try (FileSystem files = FileSystem.newInstance(root.toUri(), HDFS.configuration())) {
            assertThatThrownBy(() -> files.listStatus(file.getParent()))
                .isInstanceOf(AccessControlException.class);
            assertThatThrownBy(() -> files.open(file)).isInstanceOf(AccessControlException.class);
            assertThatThrownBy(() -> files.delete(file, false))
                .isInstanceOf(AccessControlException.class);
            assertThatThrownBy(() -> files.rename(file, file.suffix(".mine")))
                .isInstanceOf(AccessControlException.class);
          }
          return true;
        });
    assertReads(tier.store(), extent);
  }

  @Test
  void whatUsersOwnIsReadAndRemovedByAServerThatKnowsNoUsers() throws IOException {
    RemoteTier before = open();
    ShuffleKey ofAlice = shuffleOf("alice", 1);
    Extent extent = write(before, ofAlice);
    before.close();

    RemoteTier after = open(first, 2, Owners.NOBODY);

    assertThat(after.store().recovered()).containsOnlyKeys(ofAlice);
    assertReads(after.store(), extent);
    after.store().remove(ofAlice);
    after.close();
    assertThat(segments()).isEmpty();
  }

  @Test
  void aStandInClosesWhatUsersHaveOpenAndServesIt() throws IOException {
    RemoteTier zombie = open();
    ShuffleKey ofAlice = shuffleOf("alice", 1);
    ShuffleKey ofNobody = shuffleOf("", 2);
    Extent alices = write(zombie, ofAlice);
    Extent nobodys = write(zombie, ofNobody);

    SegmentStore adopted = Adoptions.of(open(second, 1, users::get), first).get(0);

    assertReads(adopted, alices);
    assertReads(adopted, nobodys);
    assertThatThrownBy(() -> write(zombie, ofAlice)).isInstanceOf(RuntimeException.class);
    adopted.remove(ofAlice);
    adopted.remove(ofNobody);
    opened.get(1).close();
    assertThat(segments()).isEmpty();
  }

  @Test
  void aUserForWhomTheServerMayNotActCostsTheOwnershipOnly() throws IOException {
    RemoteTier tier = open();
    for (String refused : List.of("mallory", "alice/host@REALM", "a\nb", "../alice")) {
      ShuffleKey shuffle = shuffleOf(refused, users.size() + 1);
      assertReads(tier.store(), write(tier, shuffle));
      assertThat(segment(shuffle).getOwner()).as(refused).isEqualTo(SERVER);
    }
    assertThat(tier.store().health().healthy()).isTrue();
    ShuffleKey ofAlice = shuffleOf("alice", 9);
    write(tier, ofAlice);
    assertThat(segment(ofAlice).getOwner()).isEqualTo("alice");
  }

  private Path folderOf(ServerId server) {
    return new Path(new Path(root, server.toString()), "segments");
  }

  private int mode(Path folder) throws IOException {
    return HDFS.cluster().getFileSystem().getFileStatus(folder).getPermission().toShort();
  }

  @Test
  void usersMakeFilesOnlyWhereSegmentsOfTheirsAreMade() throws IOException {
    RemoteTier dead = open();
    ShuffleKey ofAlice = shuffleOf("alice", 1);
    write(dead, ofAlice);
    write(dead, shuffleOf("", 2));
    assertThat(mode(folderOf(first))).isEqualTo(01733);
    dead.close();

    open(first, 2, Owners.NOBODY).close();
    assertThat(mode(folderOf(first))).as("users' files are left").isEqualTo(0711);

    RemoteTier standIn = open(second, 1, users::get);
    SegmentStore adopted = Adoptions.of(standIn, first).get(0);
    Path taken = new Path(adopted.name(), "segments");
    assertThat(mode(taken)).as("adopted").isEqualTo(0711);
    adopted.remove(ofAlice);
    standIn.close();
    assertThat(segments()).hasSize(1);

    RemoteTier again = open(second, 2, Owners.NOBODY);
    assertThat(Adoptions.before(again)).hasSize(1);
    again.close();
    assertThat(mode(folderOf(second))).as("nobody's files are left").isEqualTo(0700);
    assertThat(mode(taken)).as("nobody's files are left in what was adopted").isEqualTo(0700);
  }

  /** The files as a user sees them, for as long as the test runs. */
  private FileSystem filesOf(String user) throws Exception {
    FileSystem files = as(user, () -> FileSystem.newInstance(root.toUri(), HDFS.configuration()));
    connected.add(files);
    return files;
  }

  /** A name like that of a segment, of an application that sorts before all others here. */
  private static String forgedName(long number) {
    return String.format(Locale.ROOT, "%016x-%s-1-0.seg", number, ApplicationId.of(0, 1));
  }

  private FSDataOutputStream forge(FileSystem files, String name, int length) throws IOException {
    FSDataOutputStream out = files.create(new Path(folderOf(first), name));
    out.write(new byte[length]);
    return out;
  }

  /** The name of a segment, as its shuffle's user knows it before it is there. */
  private static String name(long number, ShuffleKey shuffle) {
    return String.format(
        Locale.ROOT, "%016x-%s-%d-0.seg", number, shuffle.application(), shuffle.shuffleId());
  }

  @Test
  void namesThatAUserHasTakenBeforeCostTheTierNothing() throws Exception {
    RemoteTier tier = open();
    FileSystem alice = filesOf("alice");
    long next = write(tier, shuffleOf("alice", 1)).segment() + 1;
    ShuffleKey closed = shuffleOf("alice", 2);
    forge(alice, name(next, closed), 8192).close();
    Extent besideClosed = write(tier, closed);
    ShuffleKey open = shuffleOf("alice", 3);
    forge(alice, name(besideClosed.segment() + 1, open), 8192).hflush();
    Extent besideOpen = write(tier, open);
    ShuffleKey folder = shuffleOf("alice", 4);
    alice.mkdirs(new Path(folderOf(first), name(besideOpen.segment() + 1, folder)));
    Extent besideFolder = write(tier, folder);

    assertThat(besideClosed.segment()).isGreaterThan(next);
    assertThat(besideOpen.segment()).isGreaterThan(besideClosed.segment() + 1);
    assertThat(besideFolder.segment()).isGreaterThan(besideOpen.segment() + 1);
    for (Extent extent : List.of(besideClosed, besideOpen, besideFolder)) {
      assertReads(tier.store(), extent);
    }
    assertThat(tier.store().activity().fences()).isZero();
  }

  /** Opens what the first server left in every way there is. */
  private void assertServedThoughThereIs(ShuffleKey shuffle, Extent extent, List<String> strange) {
    RemoteTier withCatalog = open(first, 2, users::get, Optional.of(catalog));
    assertServes(withCatalog.store(), shuffle, extent, strange);
    withCatalog.close();
    RemoteTier withoutCatalog = open(first, 3, Owners.NOBODY);
    assertServes(withoutCatalog.store(), shuffle, extent, strange);
    withoutCatalog.close();
    assertServes(Adoptions.of(open(second, 1, users::get), first).get(0), shuffle, extent, strange);
  }

  private static void assertServes(
      SegmentStore store, ShuffleKey shuffle, Extent extent, List<String> strange) {
    assertThat(store.recovered()).containsOnlyKeys(shuffle);
    assertReads(store, extent);
    assertThat(((LocalSegmentStore) store).recovery().unknownFiles())
        .containsExactlyInAnyOrderElementsOf(strange);
  }

  @Test
  void foldersThatSomebodyMakesAmongSegmentsCostNothing() throws Exception {
    RemoteTier before = open(first, 1, users::get, Optional.of(catalog));
    ShuffleKey ofAlice = shuffleOf("alice", 1);
    Extent extent = write(before, ofAlice);
    before.close();
    FileSystem mallory = filesOf("mallory");
    mallory.mkdirs(new Path(folderOf(first), "x"));
    mallory.mkdirs(new Path(folderOf(first), forgedName(5)));

    assertServedThoughThereIs(ofAlice, extent, List.of());
  }

  @Test
  void filesThatCannotBeClosedOrReadAsTheirOwnerAreLeftAlone() throws Exception {
    RemoteTier before = open(first, 1, users::get, Optional.of(catalog));
    ShuffleKey ofAlice = shuffleOf("alice", 1);
    Extent extent = write(before, ofAlice);
    before.close();
    FileSystem mallory = filesOf("mallory");
    forge(mallory, "notes", 10).close();
    forge(mallory, forgedName(5), 8192).close();
    forge(mallory, forgedName(6), 0).close();
    forge(mallory, forgedName(7), 8192).hflush(); // and stays open
    FileSystem bob = filesOf("bob");
    forge(bob, forgedName(8), 8192).close();
    bob.setPermission(new Path(folderOf(first), forgedName(8)), new FsPermission((short) 0));

    assertServedThoughThereIs(
        ofAlice,
        extent,
        List.of("notes", forgedName(5), forgedName(6), forgedName(7), forgedName(8)));
  }

  @Test
  void aFileWithTheNumberOfASegmentDoesNotHideIt() throws Exception {
    RemoteTier before = open(first, 1, users::get, Optional.of(catalog));
    ShuffleKey ofAlice = shuffleOf("alice", 1);
    Extent extent = write(before, ofAlice);
    before.close();
    String forged = forgedName(extent.segment());
    forge(filesOf("mallory"), forged, 8192).close();
    assertThat(forged).isLessThan(segment(ofAlice).getPath().getName());

    assertServedThoughThereIs(ofAlice, extent, List.of(forged));
  }
}
