package io.sluice.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.segment.TestBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class RocksUnitCatalogTest {
  private static final long MEMORY = 4 << 20;
  private static final ShuffleKey SHUFFLE = TestBlocks.shuffle(1);

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private RocksUnitCatalog open() {
    return RocksUnitCatalog.open(directory, MEMORY);
  }

  private static ByteBuffer record(int size, int content) {
    ByteBuffer record = ByteBuffer.allocate(size);
    record.putInt(0, content);
    return record;
  }

  /** All records as text, in the order shown. */
  private static List<String> scan(UnitCatalog catalog) {
    List<String> seen = new ArrayList<>();
    catalog.scan(
        new UnitCatalog.Visitor() {
          @Override
          public void unit(long segment, long offset, ByteBuffer header) {
            seen.add(segment + "@" + offset + "=" + header.getInt(header.position()));
          }

          @Override
          public void removing(Removal removal) {
            seen.add("removing " + removal.segment() + " of " + removal.shuffle());
          }
        });
    return seen;
  }

  @Test
  void showsRecordsInOrderAfterReopening() {
    try (RocksUnitCatalog catalog = open()) {
      catalog.put(300, 4096, record(100, 3));
      catalog.put(2, 1L << 33, record(100, 2));
      catalog.put(2, 0, record(100, 1));
      catalog.put(2, 0, record(100, 7));
      catalog.drop(300, 0);
    }
    try (RocksUnitCatalog catalog = open()) {
      assertThat(scan(catalog)).containsExactly("2@0=7", "2@8589934592=2", "300@4096=3");
    }
  }

  @Test
  void anEmptyCatalogThatIsTidiedTakesNoMoreThanANewOne() throws IOException {
    try (RocksUnitCatalog catalog = open()) {
      long whenNew = bytesOnDisk();
      for (int round = 1; round <= 20; round++) {
        for (int i = 0; i < 4_000; i++) {
          catalog.put(round, i * 4096L, record(100, i));
        }
        catalog.beginRemoval(List.of(new Removal(round, SHUFFLE)));
        catalog.endRemoval(List.of(new Removal(round, SHUFFLE)));
      }
      assertThat(bytesOnDisk()).isGreaterThan(whenNew + (256 << 10));

      catalog.tidy();

      assertThat(bytesOnDisk()).isLessThan(whenNew + (32 << 10));
      catalog.put(30, 0, record(100, 7));
      catalog.tidy();
    }
    try (RocksUnitCatalog catalog = open()) {
      assertThat(scan(catalog)).containsExactly("30@0=7");
    }
  }

  /** Whose segments went after a restart. */
  @Test
  void whatAnEarlierLifeHasRecordedIsTidiedToo() throws IOException {
    try (RocksUnitCatalog catalog = open()) {
      for (int i = 0; i < 60_000; i++) {
        catalog.put(1, i * 4096L, record(100, i * 31));
      }
    }
    try (RocksUnitCatalog catalog = open()) {
      catalog.beginRemoval(List.of(new Removal(1, SHUFFLE)));
      catalog.endRemoval(List.of(new Removal(1, SHUFFLE)));
      long before = bytesOnDisk();

      catalog.tidy();

      assertThat(bytesOnDisk()).isLessThan(before / 2).isLessThan(100 << 10);
    }
  }

  private long bytesOnDisk() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.mapToLong(file -> file.toFile().length()).sum();
    }
  }

  @Test
  void removalDeletesAllUnitsOfASegmentAndIsRememberedUntilItsEnd() {
    try (RocksUnitCatalog catalog = open()) {
      for (int i = 0; i < 10_000; i++) {
        catalog.put(5, i * 4096L, record(90, i));
      }
      catalog.put(4, 0, record(90, 0));
      catalog.put(6, 0, record(90, 0));
      catalog.beginRemoval(List.of(new Removal(5, SHUFFLE)));
    }
    try (RocksUnitCatalog catalog = open()) {
      String removing = "removing 5 of " + SHUFFLE;
      assertThat(scan(catalog)).containsExactly(removing, "4@0=0", "6@0=0");
      catalog.endRemoval(List.of(new Removal(5, TestBlocks.shuffle(2))));
      assertThat(scan(catalog)).containsExactly(removing, "4@0=0", "6@0=0");
      catalog.endRemoval(List.of(new Removal(5, SHUFFLE)));
      assertThat(scan(catalog)).containsExactly("4@0=0", "6@0=0");
    }
  }

  @Test
  void readsRemovalsOfTheFirstVersionAndKeepsItsServersOut() throws RocksDBException {
    writeRaw(new byte[] {0}, new byte[] {0, 0, 0, 1});
    writeRaw(new byte[] {1, 0, 0, 0, 0, 0, 0, 0, 5}, new byte[0]);

    try (RocksUnitCatalog catalog = open()) {
      assertThat(scan(catalog)).containsExactly("removing 5 of null");
      catalog.endRemoval(List.of(new Removal(5, null)));
      assertThat(scan(catalog)).isEmpty();
    }
    assertThat(readRaw(new byte[] {0})).containsExactly(0, 0, 0, 2);
  }

  @Test
  void bearsAStampUntilItIsCleared() {
    UUID stamp = new UUID(0x1234_5678_9ABC_DEF0L, -1);
    try (RocksUnitCatalog catalog = open()) {
      assertThat(catalog.stamp()).isNull();
      catalog.put(5, 0, record(90, 7));
      catalog.put(Long.MAX_VALUE, 0, record(90, 8));
      catalog.beginRemoval(List.of(new Removal(4, SHUFFLE)));
      catalog.stamp(new UUID(0, 0));
      catalog.stamp(stamp);
    }
    try (RocksUnitCatalog catalog = open()) {
      assertThat(catalog.stamp()).isEqualTo(stamp);
      assertThat(scan(catalog)).hasSize(3);
      catalog.clear();
      assertThat(catalog.stamp()).isNull();
      assertThat(scan(catalog)).isEmpty();
      catalog.put(5, 0, record(90, 9));
    }
    try (RocksUnitCatalog catalog = open()) {
      assertThat(catalog.stamp()).isNull();
      assertThat(scan(catalog)).containsExactly("5@0=9");
    }
  }

  @Test
  void showsTheUnitsOfOneSegment() {
    try (RocksUnitCatalog catalog = open()) {
      catalog.put(2, 1L << 33, record(100, 2));
      catalog.put(2, 0, record(100, 1));
      catalog.put(1, 0, record(100, 3));
      catalog.put(3, 0, record(100, 4));
      catalog.put(0x200, 0, record(100, 5));
      catalog.put(Long.MAX_VALUE, 0, record(100, 6));
      catalog.beginRemoval(List.of(new Removal(3, SHUFFLE)));

      assertThat(scan(catalog, 2)).containsExactly("2@0=1", "2@8589934592=2");
      assertThat(scan(catalog, Long.MAX_VALUE)).containsExactly("9223372036854775807@0=6");
      assertThat(scan(catalog, 3)).isEmpty();
      assertThat(scan(catalog, 4)).isEmpty();
    }
  }

  private static List<String> scan(UnitCatalog catalog, long only) {
    List<String> seen = new ArrayList<>();
    catalog.scan(
        only,
        (segment, offset, header) ->
            seen.add(segment + "@" + offset + "=" + header.getInt(header.position())));
    return seen;
  }

  @Test
  void survivesTheDeathOfItsProcess() throws IOException {
    Path copy = Files.createDirectory(directory.resolve("copy"));
    Path original = Files.createDirectory(directory.resolve("original"));
    try (RocksUnitCatalog catalog = RocksUnitCatalog.open(original, MEMORY)) {
      catalog.put(1, 0, record(100, 42));
      // What another process would find now: nothing was closed or flushed.
      try (Stream<Path> files = Files.list(original)) {
        for (Path file : files.toList()) {
          Files.copy(file, copy.resolve(file.getFileName()));
        }
      }
    }
    try (RocksUnitCatalog catalog = RocksUnitCatalog.open(copy, MEMORY)) {
      assertThat(scan(catalog)).containsExactly("1@0=42");
    }
  }

  @Test
  void holdsManyTimesItsMemory() {
    byte[] noise = new byte[20_000];
    new SplittableRandom(1).nextBytes(noise);
    try (RocksUnitCatalog catalog = RocksUnitCatalog.open(directory, 1 << 20)) {
      for (int i = 0; i < 1000; i++) {
        catalog.put(i, 0, ByteBuffer.wrap(noise).putInt(0, i));
      }
      assertThat(scan(catalog)).hasSize(1000).contains("999@0=999");
    }
  }

  /**
   * Puts records until RocksDB wants a new log, in a folder that is not there.
   *
   * @return how many it took
   */
  private static int putUntilItFails(UnitCatalog catalog) {
    byte[] noise = new byte[20_000];
    new SplittableRandom(1).nextBytes(noise);
    int taken = 0;
    try {
      while (taken < 1000) {
        catalog.put(taken, 0, ByteBuffer.wrap(noise).putInt(0, taken));
        taken++;
      }
    } catch (SluiceException e) {
      assertThat(e.code()).isEqualTo(ErrorCode.DISK_FAILED);
    }
    assertThat(taken).isBetween(1, 999);
    return taken;
  }

  @Test
  void takesRecordsAgainAfterAFailureOnceTheDiskLetsIt() throws IOException {
    Path folder = directory.resolve("catalog");
    Path away = directory.resolve("away");
    int taken;
    try (RocksUnitCatalog catalog = RocksUnitCatalog.open(folder, 1 << 20)) {
      Files.move(folder, away);
      taken = putUntilItFails(catalog);
      assertThatThrownBy(catalog::probe)
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DISK_FAILED));
      assertThat(folder).doesNotExist();
      Files.move(away, folder);
      assertThatThrownBy(() -> catalog.put(5000, 0, record(100, 1)))
          .isInstanceOf(SluiceException.class);

      catalog.probe();

      catalog.put(5000, 0, record(100, 5));
      assertThat(scan(catalog)).hasSize(taken + 1).contains("0@0=0", "5000@0=5");
      catalog.probe();
    }
    try (RocksUnitCatalog catalog = RocksUnitCatalog.open(folder, 1 << 20)) {
      assertThat(scan(catalog)).hasSize(taken + 1);
    }
  }

  /** Records behind those that are gone would hide the hole from the next start. */
  @Test
  void isNotUsedAgainWhenItHasLostWhatItHadTaken() throws IOException {
    Path folder = directory.resolve("catalog");
    Path away = directory.resolve("away");
    Path older = directory.resolve("older");
    try (RocksUnitCatalog catalog = RocksUnitCatalog.open(folder, 1 << 20)) {
      catalog.put(1, 0, record(100, 1));
    }
    copy(folder, older);
    RocksUnitCatalog catalog = RocksUnitCatalog.open(folder, 1 << 20);
    Files.move(folder, away);
    putUntilItFails(catalog);
    assertThatThrownBy(catalog::probe).isInstanceOf(SluiceException.class);
    Files.move(older, folder);

    assertThatThrownBy(catalog::probe)
        .isInstanceOf(SluiceException.class)
        .hasStackTraceContaining("lost records");
    assertThatThrownBy(() -> catalog.put(5000, 0, record(100, 1)))
        .isInstanceOf(SluiceException.class);
    assertThatThrownBy(catalog::close).isInstanceOf(SluiceException.class);
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  @Test
  void refusesAnotherFormatVersion() throws RocksDBException {
    writeRaw(new byte[] {0}, new byte[] {0, 0, 0, 9});

    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CATALOG))
        .hasMessageContaining("version 9")
        .hasMessageContaining(directory.toString());
  }

  @Test
  void refusesADatabaseThatIsNoCatalog() throws RocksDBException {
    writeRaw(new byte[] {'x'}, new byte[] {1});

    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CATALOG));
  }

  @Test
  void reportsDamagedFilesAsCorruption() throws IOException {
    try (RocksUnitCatalog catalog = open()) {
      catalog.put(1, 0, record(100, 1));
    }
    Files.write(directory.resolve("CURRENT"), new byte[] {1, 2, 3});

    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CATALOG));
  }

  @Test
  void saysWhatToDoWhereTheManifestIsGone() throws IOException {
    open().close();
    Files.delete(directory.resolve(Files.readString(directory.resolve("CURRENT")).strip()));

    assertThatThrownBy(this::open)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_CATALOG))
        .hasMessageContaining("sluice catalog rebuild");
  }

  private byte[] readRaw(byte[] key) throws RocksDBException {
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, directory.toString())) {
      return db.get(key);
    }
  }

  private void writeRaw(byte[] key, byte[] value) throws RocksDBException {
    RocksDB.loadLibrary();
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, directory.toString())) {
      db.put(key, value);
    }
  }
}
