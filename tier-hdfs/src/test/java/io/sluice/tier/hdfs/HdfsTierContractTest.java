package io.sluice.tier.hdfs;

import io.sluice.common.time.Scheduler;
import io.sluice.server.ServerCore;
import io.sluice.server.TierContractTest;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ReadOptions;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.StoreParts;
import io.sluice.server.segment.Tier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The contract of tiers over a real HDFS. */
class HdfsTierContractTest extends TierContractTest {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  private static final DiskOptions OPTIONS =
      DiskOptions.ssd()
          .withSizes(UNIT, SEGMENT)
          .withWritesAtMost(1)
          .withReads(ReadOptions.ssd().withCache(8 << 20));

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static HdfsClient client;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path catalogs;

  private final org.apache.hadoop.fs.Path folder = HDFS.newFolder();

  @BeforeAll
  static void connect() {
    client = HDFS.connect();
  }

  @AfterAll
  static void disconnect() {
    client.close();
  }

  @Override
  protected List<LocalSegmentStore> openStores(Scheduler scheduler) {
    StoreParts parts =
        new StoreParts(
            disk(),
            RocksUnitCatalog.open(catalogs.resolve("hdfs-catalog"), OPTIONS.catalogMemory()),
            new ThreadedDiskQueue("hdfs", OPTIONS),
            Tier.HDFS);
    return List.of(LocalSegmentStore.openWatched(parts, OPTIONS, 1, scheduler));
  }

  private HdfsDisk disk() {
    try {
      return HdfsDisk.open(
          client, MiniHdfs.serverOnly(client), folder, (short) MiniHdfs.REPLICATION);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Looks past the disk, which is closed in the end. */
  @Override
  protected List<String> segmentFiles() {
    try {
      return Stream.of(HDFS.files().listStatus(new org.apache.hadoop.fs.Path(folder, "segments")))
          .map(file -> file.getPath().getName())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected void assertHolds(ServerCore core, long bytes) {
    assertStored(core, Tier.HDFS, bytes);
  }
}
