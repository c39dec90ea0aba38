package io.sluice.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.disk.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;
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
    return StoredIdentity.claim(open, UUID::randomUUID);
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
    assertThat(start("b").incarnation()).isEqualTo(3);
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
    start("a");

    assertThat(start("b", "a").incarnation()).isEqualTo(4);
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
          .satisfies(invalidNaming("a"));
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
  void aDiskThatDoesNotTakeTheIncarnationStopsTheStartAndIsNamed() {
    SimulatedDisk disk = new SimulatedDisk("broken", 1 << 20);
    disk.faults().failReplaces(1);

    assertThatThrownBy(() -> StoredIdentity.claim(List.of(disk), UUID::randomUUID))
        .hasMessageContaining("broken")
        .isInstanceOfSatisfying(
            SluiceException.class,
            coded -> assertThat(coded.code()).isEqualTo(ErrorCode.DISK_FAILED));
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

  private static Consumer<Throwable> invalidNaming(String... directories) {
    return failure ->
        assertThat(failure)
            .hasMessageContainingAll(directories)
            .isInstanceOfSatisfying(
                SluiceException.class,
                coded -> assertThat(coded.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION));
  }
}
