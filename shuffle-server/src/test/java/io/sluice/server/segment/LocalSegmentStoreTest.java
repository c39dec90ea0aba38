package io.sluice.server.segment;

import io.sluice.common.time.Clock;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
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
}
