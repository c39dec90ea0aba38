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
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** The contract of tiers over some HDFS. */
abstract class OnHdfsContractTest extends TierContractTest {
  private static final DiskOptions OPTIONS =
      DiskOptions.ssd()
          .withSizes(UNIT, SEGMENT)
          .withWritesAtMost(1)
          .withReads(ReadOptions.ssd().withCache(8 << 20));

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path catalogs;

  private final HdfsFolders hdfs;
  private final org.apache.hadoop.fs.Path folder;

  OnHdfsContractTest(HdfsFolders hdfs) {
    this.hdfs = hdfs;
    this.folder = hdfs.newFolder();
  }

  @Override
  protected List<LocalSegmentStore> openStores(Scheduler scheduler) {
    StoreParts parts =
        new StoreParts(
            hdfs.disk(folder),
            RocksUnitCatalog.open(catalogs.resolve("hdfs-catalog"), OPTIONS.catalogMemory()),
            new ThreadedDiskQueue("hdfs", OPTIONS),
            Tier.HDFS);
    return List.of(LocalSegmentStore.openWatched(parts, OPTIONS, 1, scheduler));
  }

  @Override
  protected List<String> segmentFiles() {
    return hdfs.segmentFiles(folder);
  }

  @Override
  protected void assertHolds(ServerCore core, long bytes) {
    assertStored(core, Tier.HDFS, bytes);
  }
}
