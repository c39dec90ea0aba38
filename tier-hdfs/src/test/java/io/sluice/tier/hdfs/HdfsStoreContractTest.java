package io.sluice.tier.hdfs;

import io.sluice.common.time.Clock;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStoreContractTest;
import io.sluice.server.segment.StoreParts;
import io.sluice.server.segment.Tier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.io.TempDir;

/** The contract of segment stores over some HDFS: how a store is opened there as servers do. */
abstract class HdfsStoreContractTest extends SegmentStoreContractTest {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path catalogs;

  /** A server's folder, which no other test has. */
  abstract org.apache.hadoop.fs.Path folder();

  /** Opens the folder. */
  abstract Disk openDisk() throws IOException;

  /** HDFS as somebody sees it who may read everything. */
  abstract FileSystem everything() throws IOException;

  @Override
  protected LocalSegmentStore open(DiskOptions options, long incarnation) {
    return LocalSegmentStore.open(
        new StoreParts(
            disk(),
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

  private Disk disk() {
    try {
      return openDisk();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Looks past the disk, which would take leases when it is opened. */
  @Override
  protected List<String> segmentFiles() {
    try {
      FileStatus[] found =
          everything().listStatus(new org.apache.hadoop.fs.Path(folder(), "segments"));
      return Stream.of(found).map(file -> file.getPath().getName()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
