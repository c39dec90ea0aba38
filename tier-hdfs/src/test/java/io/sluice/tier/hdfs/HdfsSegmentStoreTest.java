package io.sluice.tier.hdfs;

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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The contract over a real HDFS. */
class HdfsSegmentStoreTest extends SegmentStoreContractTest {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

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

  private Disk disk() {
    try {
      return HdfsDisk.open(
          client, MiniHdfs.serverOnly(client), folder, (short) MiniHdfs.REPLICATION);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected LocalSegmentStore open(DiskOptions options, long incarnation) {
    return LocalSegmentStore.open(
        new StoreParts(
            disk(),
            new SpareCatalog(
                RocksUnitCatalog.open(catalogs.resolve("hdfs-catalog"), options.catalogMemory())),
            new ThreadedDiskQueue("hdfs", options),
            Tier.HDFS),
        options,
        incarnation,
        HDFS.timers().clock());
  }

  /** Looks past the disk, which would take leases when it is opened. */
  @Override
  protected List<String> segmentFiles() {
    try {
      FileStatus[] found =
          HDFS.cluster()
              .getFileSystem()
              .listStatus(new org.apache.hadoop.fs.Path(folder, "segments"));
      return Stream.of(found).map(file -> file.getPath().getName()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
