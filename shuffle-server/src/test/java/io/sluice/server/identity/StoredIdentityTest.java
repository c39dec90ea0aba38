package io.sluice.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoredIdentityTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path root;

  private final List<LocalDisk> open = new ArrayList<>();

  @AfterEach
  void closeDisks() {
    open.forEach(LocalDisk::close);
  }

  /** Starts a server over these directories; the former one has stopped. */
  private StoredIdentity start(String... names) {
    closeDisks();
    open.clear();
    for (String name : names) {
      open.add(LocalDisk.open(root.resolve(name)));
    }
    StoredIdentity identity = StoredIdentity.claim(open, UUID::randomUUID);
    for (String name : names) {
      openCatalog(root.resolve(name));
    }
    return identity;
  }

  private static void openCatalog(Path directory) {
    try {
      Files.createDirectories(directory.resolve("catalog"));
      Files.write(directory.resolve("catalog/CURRENT"), new byte[1]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void makesANewServerOfBlankDisks() {
    StoredIdentity identity = start("a", "b");

    assertThat(identity.incarnation()).isEqualTo(1);
    assertThat(identity.missingDisks()).isEmpty();
  }

  @Test
  void keepsTheIdAndRaisesTheIncarnationAtEachStart() {
    ServerId first = start("a", "b").serverId();

    StoredIdentity second = start("b", "a");

    assertThat(second.serverId()).isEqualTo(first);
    assertThat(second.incarnation()).isEqualTo(2);
    assertThat(start("a", "b").incarnation()).isEqualTo(3);
  }

  @Test
  void takesANewIncarnationWithoutRestart() {
    StoredIdentity identity = start("a", "b");

    assertThat(identity.nextIncarnation()).isEqualTo(2);
    assertThat(identity.incarnation()).isEqualTo(2);
    assertThat(start("a", "b").incarnation()).isEqualTo(3);
  }

  @Test
  void isIntactAfterLivesThatWereSealed() {
    start("a", "b").seal();
    StoredIdentity second = start("a", "b");
    assertThat(second.incarnation()).isEqualTo(2);
    assertThat(second.intactSince()).isEqualTo(1);
    second.seal();

    StoredIdentity third = start("b", "a");

    assertThat(third.incarnation()).isEqualTo(3);
    assertThat(third.intactSince()).isEqualTo(1);
  }

  @Test
  void isNotIntactAfterALifeThatWasNotSealed() {
    start("a", "b").seal();
    start("a", "b"); // it dies

    assertThat(start("a", "b").intactSince()).isEqualTo(3);
  }

  @Test
  void isNotIntactWithoutADiskThatWasSealed() {
    start("a", "b").seal();

    StoredIdentity without = start("a");
    assertThat(without.intactSince()).isEqualTo(without.incarnation());
    assertThatThrownBy(without::seal)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FAILED));
    // The disk is not missed any more.
    start("a").seal();

    // Both are sealed now, but not by the same life.
    StoredIdentity together = start("a", "b");
    assertThat(together.intactSince()).isEqualTo(together.incarnation());
  }

  @Test
  void isNotIntactIfADirectoryWasEmptiedButForItsIdentity() throws IOException {
    start("a", "b").seal();
    Files.delete(root.resolve("b/catalog/CURRENT"));

    assertThat(start("a", "b").intactSince()).isEqualTo(2);
  }

  @Test
  void isIntactWithABlankDiskMore() {
    start("a").seal();

    assertThat(start("a", "b").intactSince()).isEqualTo(1);
  }

  @Test
  void isNotIntactIfOneDiskDidNotTakeTheSeal() throws IOException {
    StoredIdentity identity = start("a", "b");
    byte[] unsealed = Files.readAllBytes(root.resolve("b/identity"));
    identity.seal();
    Files.write(root.resolve("b/identity"), unsealed);

    assertThat(start("a", "b").intactSince()).isEqualTo(2);
  }

  @Test
  void isNeverIntactForALifeThatWasGivenUp() {
    StoredIdentity identity = start("a");
    identity.nextIncarnation();
    assertThat(identity.intactSince()).isEqualTo(2);
    identity.seal();

    assertThat(start("a").intactSince()).isEqualTo(2);
  }

  @Test
  void forgetsEarlierLivesOfWhichSomethingIsGone() {
    start("a").seal();
    StoredIdentity second = start("a");

    second.forgetEarlierLives();

    assertThat(second.incarnation()).isEqualTo(2);
    assertThat(second.intactSince()).isEqualTo(2);
    second.seal();
    assertThat(start("a").intactSince()).isEqualTo(2);
  }

  @Test
  void takesFilesOfServersThatKnewNoSealForLivesThatWereNotSealed() throws IOException {
    UUID server = UUID.randomUUID();
    UUID disk = UUID.randomUUID();
    String lines =
        "format=1\nserver=" + server + "\ndisk=" + disk + "\nincarnation=7\ndisks=" + disk + "\n";
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    Files.createDirectories(root.resolve("a"));
    Files.writeString(
        root.resolve("a/identity"),
        lines + String.format(Locale.ROOT, "crc32c=%08x%n", crc.getValue()));

    StoredIdentity identity = start("a");

    assertThat(identity.serverId()).isEqualTo(new ServerId(server));
    assertThat(identity.incarnation()).isEqualTo(8);
    assertThat(identity.intactSince()).isEqualTo(8);
  }

  @Test
  void adoptsABlankDiskAmongKnownOnes() {
    ServerId server = start("a").serverId();

    assertThat(start("a", "b").serverId()).isEqualTo(server);
    assertThat(start("b").serverId()).isEqualTo(server);
  }

  @Test
  void reportsAMissingDiskOnce() {
    start("a", "b");

    assertThat(start("a").missingDisks()).hasSize(1);
    assertThat(start("a").missingDisks()).isEmpty();
  }

  @Test
  void followsTheHighestIncarnationWhenADiskComesBack() {
    start("a", "b");
    start("a");
    long alone = start("a").incarnation();

    assertThat(start("b", "a").incarnation()).isEqualTo(alone + 1);
  }

  @Test
  void refusesDisksOfDifferentServersNamingThem() {
    start("a");
    start("b");

    assertThatThrownBy(() -> start("a", "b"))
        .satisfies(invalidNaming(root.resolve("a").toString(), root.resolve("b").toString()));
  }

  @Test
  void refusesCopiesOfOneDisk() throws IOException {
    start("a");
    Files.createDirectories(root.resolve("b"));
    Files.copy(root.resolve("a/identity"), root.resolve("b/identity"));

    assertThatThrownBy(() -> start("a", "b"))
        .satisfies(invalidNaming(root.resolve("a").toString(), root.resolve("b").toString()));
  }

  @Test
  void refusesDataWithoutIdentity() throws IOException {
    start("a");
    Files.createDirectories(root.resolve("a/segments"));
    Files.createFile(root.resolve("a/segments/x"));
    Files.delete(root.resolve("a/identity"));

    assertThatThrownBy(() -> start("a")).satisfies(invalidNaming(root.resolve("a").toString()));
  }

  @Test
  void detectsEveryFlippedByteOfAnIdentityFile() throws IOException {
    start("a");
    Path file = root.resolve("a/identity");
    byte[] good = Files.readAllBytes(file);
    for (int i = 0; i < good.length; i++) {
      byte[] bad = good.clone();
      bad[i] ^= 0x01;
      assertThatThrownBy(() -> DiskIdentity.decode(bad, "a"))
          .as("byte %s", i)
          .hasMessageContaining("data directory a")
          .satisfies(StoredIdentityTest::diskFailed);
    }
    assertThat(DiskIdentity.decode(good, "a").incarnation()).isEqualTo(1);
  }

  @Test
  void refusesADirectoryInUse() {
    start("a");

    ThrowingCallable second = () -> LocalDisk.open(root.resolve("a"));

    assertThatThrownBy(second).satisfies(invalidNaming(root.resolve("a").toString()));
  }

  @Test
  void theOnlyDiskThatDoesNotTakeTheIncarnationStopsTheStartAndIsNamed() {
    SimulatedDisk disk = new SimulatedDisk("broken", 1 << 20);
    disk.faults().failReplaces(2);

    assertThatThrownBy(() -> StoredIdentity.claim(List.of(disk), UUID::randomUUID))
        .hasMessageContaining("broken")
        .satisfies(StoredIdentityTest::diskFailed);
  }

  @Test
  void oneOfTwoDisksIsEnoughForANewIncarnation() {
    SimulatedDisk good = new SimulatedDisk("good", 1 << 20);
    SimulatedDisk bad = new SimulatedDisk("bad", 1 << 20);
    StoredIdentity identity = StoredIdentity.claim(List.of(bad, good), UUID::randomUUID);
    bad.faults().failReplaces(100);

    long next = identity.nextIncarnation();

    assertThat(next).isGreaterThan(1);
    assertThat(identity.riseAbove(next, disk -> disk == good)).isGreaterThan(next);
    assertThat(identity.riseAbove(next, disk -> true)).isEqualTo(identity.incarnation());
  }

  @Test
  void aStaleDiskThatComesBackAloneTakesNoNumberThatTheOthersUsed() {
    SimulatedDisk good = new SimulatedDisk("good", 1 << 20);
    SimulatedDisk stale = new SimulatedDisk("stale", 1 << 20);
    List<Long> used = new ArrayList<>();
    StoredIdentity both = StoredIdentity.claim(List.of(good, stale), UUID::randomUUID);
    used.add(both.incarnation());
    stale.faults().failReplaces(3);
    for (int i = 0; i < 3; i++) {
      used.add(both.nextIncarnation());
    }
    stale.restart();
    good.restart();

    StoredIdentity alone = StoredIdentity.claim(List.of(stale), UUID::randomUUID);
    used.add(alone.incarnation());
    used.add(alone.nextIncarnation());

    assertThat(alone.serverId()).isEqualTo(both.serverId());
    assertThat(used).doesNotHaveDuplicates();
  }

  /** The disk that joined took a number which the one before it never heard of. */
  @Test
  void aDiskThatNeverHeardOfTheOtherTakesNoNumberOfIts() {
    SimulatedDisk old = new SimulatedDisk("old", 1 << 20);
    SimulatedDisk joined = new SimulatedDisk("joined", 1 << 20);
    List<Long> used = new ArrayList<>();
    used.add(StoredIdentity.claim(List.of(old), UUID::randomUUID).incarnation());
    old.restart();
    old.faults().failReplaces(1);
    used.add(StoredIdentity.claim(List.of(old, joined), UUID::randomUUID).incarnation());
    old.restart();

    used.add(StoredIdentity.claim(List.of(old), UUID::randomUUID).incarnation());

    assertThat(used).doesNotHaveDuplicates();
  }

  @Test
  void aStartGoesOnWithoutADiskThatCannotBeReadAndTakesItInLater() {
    SimulatedDisk good = new SimulatedDisk("good", 1 << 20);
    SimulatedDisk bad = new SimulatedDisk("bad", 1 << 20);
    ServerId server = StoredIdentity.claim(List.of(good, bad), UUID::randomUUID).serverId();
    good.restart();
    bad.restart();
    bad.faults().failReads(1);

    StoredIdentity identity = StoredIdentity.claim(List.of(bad, good), UUID::randomUUID);
    assertThat(identity.serverId()).isEqualTo(server);
    assertThat(identity.failures()).containsOnlyKeys(bad);

    identity.admit(bad);
    good.restart();
    bad.restart();
    assertThat(StoredIdentity.claim(List.of(bad), UUID::randomUUID).incarnation())
        .isGreaterThan(identity.incarnation());
  }

  @Test
  void takesInNoDiskThatIsBlankOrAnothers() {
    StoredIdentity identity =
        StoredIdentity.claim(List.of(new SimulatedDisk("a", 1 << 20)), UUID::randomUUID);
    SimulatedDisk blank = new SimulatedDisk("blank", 1 << 20);
    SimulatedDisk others = new SimulatedDisk("others", 1 << 20);
    StoredIdentity.claim(List.of(others), UUID::randomUUID);

    assertThatThrownBy(() -> identity.admit(blank)).satisfies(invalidNaming("blank"));
    assertThatThrownBy(() -> identity.admit(others)).satisfies(invalidNaming("others"));
    assertThat(blank.files()).isEmpty();
  }

  @Test
  void anIncarnationHasSurvivedPowerLossWhenItIsFirstUsed() {
    SimulatedDisk disk = new SimulatedDisk("sim", 1 << 20);
    StoredIdentity identity = StoredIdentity.claim(List.of(disk), UUID::randomUUID);
    identity.nextIncarnation();

    disk.losePower(new SplittableRandom(7));

    StoredIdentity after = StoredIdentity.claim(List.of(disk), UUID::randomUUID);
    assertThat(after.serverId()).isEqualTo(identity.serverId());
    assertThat(after.incarnation()).isEqualTo(3);
  }

  private static void diskFailed(Throwable failure) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            SluiceException.class,
            coded -> assertThat(coded.code()).isEqualTo(ErrorCode.DISK_FAILED));
  }

  private static Consumer<Throwable> invalidNaming(String... directories) {
    return failure ->
        assertThat(failure)
            .hasMessageContainingAll(directories)
            .isInstanceOfSatisfying(
                SluiceException.class,
                coded -> assertThat(coded.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION));
  }
}
