package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.lifecycle.StopList;
import io.sluice.server.config.DataDir;
import io.sluice.server.disk.DiskClass;
import io.sluice.server.segment.StoreLife;
import io.sluice.transport.ServerIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which data directories a server starts with. */
class DataDisksTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path root;

  private List<DataDir> dirs(String... names) {
    return Stream.of(names)
        .map(name -> new DataDir(DiskClass.SSD, Path.of(root + "/" + name)))
        .toList();
  }

  private ServerIdentity start(String... names) {
    try (StopList started = new StopList()) {
      return ServerIdentities.claim(DataDisks.open(dirs(names), started)).current();
    }
  }

  private static void hasCode(Throwable failure, ErrorCode code) {
    assertThat(failure)
        .isInstanceOfSatisfying(
            SluiceException.class, coded -> assertThat(coded.code()).isEqualTo(code));
  }

  @Test
  void aDirectoryThatVanishedIsNotMadeAnewAndStopsNobody() throws IOException {
    ServerIdentity both = start("a", "b");
    Files.move(root.resolve("b"), root.resolve("away"));

    ServerIdentity one = start("a", "b");
    assertThat(one.id()).isEqualTo(both.id());
    assertThat(root.resolve("b")).doesNotExist();

    Files.move(root.resolve("away"), root.resolve("b"));
    ServerIdentity again = start("a", "b");
    assertThat(again.id()).isEqualTo(both.id());
    assertThat(again.incarnation()).isEqualTo(one.incarnation() + 1);
  }

  @Test
  void aDirectoryThatIsNewIsMade() {
    ServerIdentity one = start("a");

    assertThat(start("a", "b").id()).isEqualTo(one.id());
    assertThat(root.resolve("b/identity")).exists();
  }

  @Test
  void whatAStoreFindsIsSyncedOnlyAfterASeal() {
    assertThat(lifeOf(true)).as("blank").isFalse();
    assertThat(lifeOf(false)).as("after a seal").isTrue();
    assertThat(lifeOf(false)).as("after a kill").isFalse();
  }

  /** Whether a life begins after a seal that ends with one or not. */
  private boolean lifeOf(boolean sealed) {
    try (StopList started = new StopList()) {
      DataDisks disks = DataDisks.open(dirs("a"), started);
      ServerIdentities identities = ServerIdentities.claim(disks);
      makeCatalog();
      StoreLife life = identities.life();
      assertThat(life.incarnation()).isEqualTo(identities.incarnation());
      if (sealed) {
        identities.seal();
      }
      return life.afterSeal();
    }
  }

  /** Without one nobody takes the directory for whole. */
  private void makeCatalog() {
    try {
      Files.createDirectories(root.resolve("a/catalog/anything"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aDiskThatTakesNoIdentityIsDroppedAndUnlocked() throws IOException {
    ServerIdentity both = start("a", "b");
    // Nothing can be written there.
    Files.createDirectories(root.resolve("b/identity.tmp"));

    try (StopList started = new StopList()) {
      DataDisks disks = DataDisks.open(dirs("a", "b"), started);
      ServerIdentity one = ServerIdentities.claim(disks).current();
      assertThat(one.id()).isEqualTo(both.id());
      assertThat(disks.working()).containsOnlyKeys(dirs("a").get(0));
      assertThat(disks.failed()).containsOnlyKeys(dirs("b").get(0));
      Files.delete(root.resolve("b/identity.tmp"));
      start("b");
    }
  }

  @Test
  void aServerThatWasDeclaredLostRisesThoughADiskHangsOrFails() throws IOException {
    try (StopList started = new StopList()) {
      ServerIdentities identities = ServerIdentities.claim(DataDisks.open(dirs("a", "b"), started));
      byte[] before = Files.readAllBytes(root.resolve("b/identity"));

      assertThat(identities.rise(7, disk -> !disk.equals(root + "/b"))).isTrue();
      assertThat(identities.rise(7, disk -> true)).as("asked for again").isFalse();
      long risen = identities.incarnation();
      assertThat(risen).isGreaterThan(7);
      assertThat(root.resolve("b/identity")).hasBinaryContent(before);

      Files.createDirectory(root.resolve("b/identity.tmp"));
      assertThat(identities.rise(risen, disk -> true)).isTrue();
      assertThat(identities.incarnation()).isGreaterThan(risen);
      assertThat(root.resolve("b/identity")).hasBinaryContent(before);
    }
  }

  @Test
  void whereNoneWorksTheFirstSaysWhy() throws IOException {
    Files.createDirectories(root.resolve("a/lock"));
    Files.createDirectories(root.resolve("b/lock"));

    assertThatThrownBy(() -> start("a", "b"))
        .satisfies(failure -> hasCode(failure, ErrorCode.DISK_FAILED))
        .hasMessageContaining(root.resolve("a/lock") + ": Is a directory");
  }

  @Test
  void oneDirectoryUnderTwoNamesIsNamedByBoth() throws IOException {
    start("a");
    Files.createSymbolicLink(root.resolve("link"), root.resolve("a"));

    for (String other : List.of("link", "./a")) {
      assertThatThrownBy(() -> start("a", other))
          .satisfies(failure -> hasCode(failure, ErrorCode.INVALID_CONFIGURATION))
          .hasMessageContainingAll(root + "/a ", root + "/" + other + " ", "same directory");
    }
  }

  @Test
  void aFileIsNoDirectory() throws IOException {
    Files.createFile(root.resolve("a"));

    assertThatThrownBy(() -> start("a", "b"))
        .satisfies(failure -> hasCode(failure, ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining(root.resolve("a").toString());
  }

  @Test
  void aDirectoryInUseStopsTheStart() {
    try (StopList started = new StopList()) {
      DataDisks.open(dirs("b"), started);

      assertThatThrownBy(() -> start("a", "b"))
          .satisfies(failure -> hasCode(failure, ErrorCode.INVALID_CONFIGURATION))
          .hasMessageContaining("in use");
    }
  }
}
