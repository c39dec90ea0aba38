package io.sluice.server;

import io.sluice.common.time.Scheduler;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.StoreLife;
import io.sluice.server.segment.Tier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The contract of tiers over a directory of this machine, opened as servers do. */
abstract class LocalTierContractTest extends TierContractTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path directory;

  private final Tier tier;
  private final DiskOptions options;

  LocalTierContractTest(Tier tier, DiskOptions options) {
    this.tier = tier;
    this.options = options.withSizes(UNIT, SEGMENT).withReads(options.reads().withCache(8 << 20));
  }

  @Override
  protected List<LocalSegmentStore> openStores(Scheduler scheduler) {
    return List.of(
        LocalSegmentStore.openWatched(
            LocalDisk.open(directory), tier, options, StoreLife.of(1), scheduler));
  }

  @Override
  protected List<String> segmentFiles() {
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      return files.map(file -> file.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected void assertHolds(ServerCore core, long bytes) {
    assertStored(core, tier, bytes);
  }
}
