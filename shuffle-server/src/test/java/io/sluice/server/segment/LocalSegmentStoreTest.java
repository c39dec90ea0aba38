package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.time.Clock;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract over real files and RocksDB. */
class LocalSegmentStoreTest extends SegmentStoreContractTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  @Override
  protected LocalSegmentStore open(DiskOptions options, long incarnation) {
    return LocalSegmentStore.open(LocalDisk.open(directory), options, incarnation, Clock.system());
  }

  @Override
  protected List<String> segmentFiles() {
    Path segments = directory.resolve("segments");
    if (!Files.exists(segments)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(segments)) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aShuffleRemovedWhileItsDirectoryWasAwayDoesNotComeBackWithIt() throws IOException {
    Path disk = directory.resolve("disk");
    Path away = directory.resolve("away");
    try (LocalSegmentStore store = openAt(disk)) {
      new StoreDriver(store).write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 1, 3000));
      Files.move(disk, away);
      Files.createDirectory(disk);
      store.remove(SHUFFLE);
    }
    Files.delete(disk);
    Files.move(away, disk);

    try (LocalSegmentStore store = openAt(disk)) {
      assertThat(store.recovered()).isEmpty();
      assertThat(store.recovery().unlinkedSegments()).isEqualTo(1);
    }
  }

  /** Digits of one's own are Persian; only names that all read alike survive a change. */
  @Test
  void whatWasWrittenInOneLocaleIsFoundInAnother() {
    Path disk = directory.resolve("disk");
    Locale before = Locale.getDefault();
    List<Extent> written;
    try {
      Locale.setDefault(Locale.forLanguageTag("fa"));
      try (LocalSegmentStore store = openAt(disk)) {
        written = new StoreDriver(store).write(SHUFFLE, unit -> TestBlocks.stage(unit, 1, 1, 3000));
      }
      Locale.setDefault(Locale.ROOT);
      try (LocalSegmentStore store = openAt(disk)) {
        assertThat(store.recovery().unknownFiles()).isEmpty();
        assertThat(store.recovered()).containsEntry(SHUFFLE, written);
        store.remove(SHUFFLE);
      }
    } finally {
      Locale.setDefault(before);
    }
    assertThat(disk.resolve("segments")).as("unlinked").isEmptyDirectory();
  }

  private static LocalSegmentStore openAt(Path path) {
    return LocalSegmentStore.open(LocalDisk.open(path), OPTIONS, 1, Clock.system());
  }
}
