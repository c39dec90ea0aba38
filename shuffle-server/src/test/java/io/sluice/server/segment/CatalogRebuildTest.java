package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.security.auth.module.UnixSystem;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.identity.StoredIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a real disk with a real catalog. */
class CatalogRebuildTest {
  private static final int MAPS = 3;
  private static final int LENGTH = 20_000;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private LocalSegmentStore open(long incarnation) {
    return LocalSegmentStore.open(
        LocalDisk.open(directory), SegmentStoreContractTest.OPTIONS, incarnation, Clock.system());
  }

  private List<Extent> write(int units) {
    List<Extent> written = new ArrayList<>();
    try (LocalSegmentStore store = open(1)) {
      StoreDriver driver = new StoreDriver(store);
      for (int i = 0; i < units; i++) {
        int partition = i;
        written.addAll(
            driver.write(
                TestBlocks.shuffle(i % 2),
                unit -> TestBlocks.stage(unit, partition, MAPS, LENGTH)));
      }
    }
    return written;
  }

  /** Overwrites what says which files the catalog consists of. */
  private void damage() throws IOException {
    Files.write(manifest(), new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  }

  @Test
  void aDamagedCatalogIsMadeAnewFromTheSegments() throws IOException {
    List<Extent> written = write(12);
    damage();
    assertThatThrownBy(() -> open(2))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CATALOG))
        .hasMessageContaining("sluice catalog rebuild");

    RecoveryReport report = CatalogRebuild.run(directory);

    assertThat(report.units()).isEqualTo(written.size());
    try (LocalSegmentStore store = open(2)) {
      StoreDriver driver = new StoreDriver(store);
      assertThat(store.recovery().replayedUnits()).as("found in the catalog").isZero();
      List<Extent> found = store.recovered().values().stream().flatMap(List::stream).toList();
      assertThat(found).hasSameSizeAs(written);
      for (Extent extent : found) {
        assertThat(driver.read(extent))
            .isEqualTo(TestBlocks.extent(extent.partition(), MAPS, LENGTH));
      }
    }
  }

  @Test
  void whatAnAttemptThatDiedHasLeftIsNoCatalog() throws IOException {
    List<Extent> written = write(4);
    leaveHalf(CatalogRebuild.NEXT);
    leaveHalf(CatalogRebuild.REPLACED);

    assertThatThrownBy(() -> CatalogRebuild.run(directory, CatalogRebuildTest::failing))
        .hasMessage("DISK_FAILED: no more");
    theCatalogIsWhole(written);

    leaveHalf(CatalogRebuild.NEXT);
    leaveHalf(CatalogRebuild.REPLACED);
    assertThat(CatalogRebuild.run(directory).units()).isEqualTo(written.size());
    theCatalogIsWhole(written);
  }

  @Test
  void anAttemptThatDiedBetweenItsRenamesLosesNoCatalog() throws IOException {
    List<Extent> written = write(4);
    Files.move(directory.resolve("catalog"), directory.resolve(CatalogRebuild.REPLACED));
    leaveHalf(CatalogRebuild.NEXT);

    assertThatThrownBy(() -> CatalogRebuild.run(directory, CatalogRebuildTest::failing))
        .isInstanceOf(SluiceException.class);

    theCatalogIsWhole(written);
  }

  /** Whoever dies meanwhile, or comes in between, finds one. */
  @Test
  void theOldCatalogStaysInItsPlaceUntilTheNewOneIsWhole() throws IOException {
    List<Extent> written = write(4);
    Path old = Files.createFile(directory.resolve("catalog/old"));

    CatalogRebuild.run(
        directory,
        (disk, catalog) -> {
          RecoveryReport report = CatalogRebuild.recover(disk, catalog);
          assertThat(old).exists();
          return report;
        });

    assertThat(old).doesNotExist();
    theCatalogIsWhole(written);
  }

  @Test
  void theDirectoryIsLockedUntilTheCatalogIsInItsPlace() throws IOException {
    List<Extent> written = write(4);

    CatalogRebuild.run(
        directory,
        (disk, catalog) -> {
          RecoveryReport report = CatalogRebuild.recover(disk, catalog);
          requireLocked();
          return report;
        });
    theCatalogIsWhole(written);

    assertThatThrownBy(
            () ->
                CatalogRebuild.run(
                    directory,
                    (disk, catalog) -> {
                      // As a store does that cannot be opened.
                      disk.close();
                      requireLocked();
                      return failing(disk, catalog);
                    }))
        .hasMessage("DISK_FAILED: no more");
    theCatalogIsWhole(written);
  }

  private void requireLocked() {
    assertThatThrownBy(() -> LocalDisk.open(directory)).hasMessageContaining("in use");
  }

  private static RecoveryReport failing(LocalDisk disk, Path catalog) {
    RocksUnitCatalog.open(catalog, SegmentStoreContractTest.OPTIONS.catalogMemory()).close();
    throw new SluiceException(ErrorCode.DISK_FAILED, "no more");
  }

  private void leaveHalf(String folder) throws IOException {
    Files.writeString(Files.createDirectory(directory.resolve(folder)).resolve("CURRENT"), "?");
  }

  private Path manifest() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("catalog"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("MANIFEST"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** And nothing is left beside it. */
  private void theCatalogIsWhole(List<Extent> written) {
    assertThat(directory.resolve(CatalogRebuild.NEXT)).doesNotExist();
    assertThat(directory.resolve(CatalogRebuild.REPLACED)).doesNotExist();
    try (LocalSegmentStore store = open(2)) {
      assertThat(store.recovery().units()).isEqualTo(written.size());
      assertThat(store.recovery().replayedUnits()).as("found in the catalog").isZero();
    }
  }

  /** How far back the life is intact that begins now: 0 where it is that life alone. */
  private long livesKept(boolean sealing) {
    try (LocalDisk disk = LocalDisk.open(directory)) {
      StoredIdentity life = StoredIdentity.claim(List.of(disk), UUID::randomUUID);
      if (sealing) {
        life.seal();
      }
      return life.incarnation() - life.intactSince();
    }
  }

  @Test
  void nobodyTakesADirectoryForWholeWhoseCatalogWasMadeAnew() {
    livesKept(false);
    write(4);
    livesKept(true);
    assertThat(livesKept(true)).as("after an orderly stop").isEqualTo(1);

    CatalogRebuild.run(directory);

    assertThat(livesKept(false)).isZero();
  }

  @Test
  void aDamagedIdentityStopsNobodyAndStays() throws IOException {
    livesKept(false);
    List<Extent> written = write(4);
    Path identity = directory.resolve("identity");
    Files.writeString(identity, "sealed=true\n");

    assertThat(CatalogRebuild.run(directory).units()).isEqualTo(written.size());

    assertThat(identity).hasContent("sealed=true\n");
  }

  /** What lies there may be of another format, too. */
  @Test
  void anIdentityOfAnotherFormatIsRefused() throws IOException {
    livesKept(false);
    List<Extent> written = write(4);
    Path identity = directory.resolve("identity");
    String lines =
        Files.readString(identity).replaceFirst("format=\\d+", "format=9").split("crc32c=", -1)[0];
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.UTF_8));
    Files.writeString(
        identity, lines + String.format(Locale.ROOT, "crc32c=%08x\n", crc.getValue()));

    assertThatThrownBy(() -> CatalogRebuild.run(directory))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("has format 9");
    theCatalogIsWhole(written);
  }

  @Test
  void aUnitWithADamagedHeaderLeavesAHoleThatIsCounted() throws IOException {
    List<Extent> written = write(12);
    Path segment =
        directory.resolve(
            new SegmentFileName(written.get(0).segment(), TestBlocks.shuffle(0)).path());
    try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(64), 0);
    }

    RecoveryReport report = CatalogRebuild.run(directory);

    assertThat(report.holes()).isEqualTo(1);
    assertThat(report.units()).isEqualTo(written.size() - 1);
    assertThat(report.cutBytes()).isZero();
  }

  /** A server makes the folder for segments with its first unit. */
  @Test
  void aServerThatHasStoredNothingYetGetsItsCatalogBack() throws IOException {
    livesKept(false);
    open(1).close();
    Files.deleteIfExists(directory.resolve("segments"));
    damage();

    assertThat(CatalogRebuild.run(directory).units()).isZero();
    try (LocalSegmentStore store = open(2)) {
      assertThat(store.recovered()).isEmpty();
    }
  }

  @Test
  void aDirectoryThatNoServerMadeIsRefusedAndLeftAlone() throws IOException {
    Files.createDirectory(directory.resolve("home"));
    assertThatThrownBy(() -> CatalogRebuild.run(directory))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("neither a folder segments nor a file identity");
    assertThat(directory.toFile().list()).containsExactly("home");
  }

  @Test
  void anotherUsersDirectoryIsRefusedAndLeftAlone() throws IOException {
    assumeTrue(new UnixSystem().getUid() == 0, "only root can give files away");
    List<Extent> written = write(2);
    Files.setAttribute(directory.resolve("segments"), "unix:uid", 65_534);
    assertThatThrownBy(() -> CatalogRebuild.run(directory))
        .satisfies(SegmentStoreContractTest.hasCode(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("run it as 65534");
    theCatalogIsWhole(written);
  }

  @Test
  void aDirectoryInUseIsRefusedAndLeftAlone() {
    write(2);
    try (LocalSegmentStore running = open(2)) {
      assertThatThrownBy(() -> CatalogRebuild.run(directory))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION));
      assertThat(running.recovery().units()).isEqualTo(2);
    }
  }

  @Test
  void anyOtherFolderIsRefused() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));

    assertThatThrownBy(() -> CatalogRebuild.run(other))
        .hasMessageContaining("is not a data directory");
    assertThat(other).isEmptyDirectory();
  }
}
