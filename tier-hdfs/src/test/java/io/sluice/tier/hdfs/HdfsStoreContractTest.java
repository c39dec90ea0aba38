package io.sluice.tier.hdfs;

import io.sluice.common.time.Clock;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStoreContractTest;
import io.sluice.server.segment.StoreParts;
import io.sluice.server.segment.Tier;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** The contract of segment stores over some HDFS: how a store is opened there as servers do. */
abstract class HdfsStoreContractTest extends SegmentStoreContractTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path catalogs;

  private final HdfsFolders hdfs;
  private final org.apache.hadoop.fs.Path folder;

  HdfsStoreContractTest(HdfsFolders hdfs) {
    this.hdfs = hdfs;
    this.folder = hdfs.newFolder();
  }

  @Override
  protected LocalSegmentStore open(DiskOptions options, long incarnation) {
    return LocalSegmentStore.open(
        new StoreParts(
            hdfs.disk(folder),
            new SpareCatalog(
                RocksUnitCatalog.open(catalogs.resolve("hdfs-catalog"), options.catalogMemory()),
                new CatalogThread(() -> {}),
                () -> {},
                SpareCatalog.Patience.USUAL),
            new ThreadedDiskQueue("hdfs", options),
            Tier.HDFS),
        options,
        incarnation,
        Clock.system());
  }

  @Override
  protected List<String> segmentFiles() {
    return hdfs.segmentFiles(folder);
  }
}
