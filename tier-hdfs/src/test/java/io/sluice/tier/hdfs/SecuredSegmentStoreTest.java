package io.sluice.tier.hdfs;

import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ThreadedDiskQueue;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStoreContractTest;
import io.sluice.server.segment.StoreParts;
import io.sluice.server.segment.Tier;
import io.sluice.server.tier.Owners;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileStatus;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The contract over a real HDFS that wants Kerberos, with the server's keytab. */
class SecuredSegmentStoreTest extends SegmentStoreContractTest {
  private static final AtomicInteger FOLDERS = new AtomicInteger();

  @RegisterExtension static final SecuredHdfs HDFS = new SecuredHdfs();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static org.apache.hadoop.fs.Path root;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static HdfsClient client;

  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path catalogs;

  private final org.apache.hadoop.fs.Path folder =
      new org.apache.hadoop.fs.Path(root, "server-" + FOLDERS.incrementAndGet());

  @BeforeAll
  static void connect() throws IOException {
    root = HDFS.newRoot();
    client = HDFS.connect(root);
  }

  @AfterAll
  static void disconnect() {
    client.close();
  }

  private Disk disk() {
    try {
      return HdfsDisk.open(
          client,
          new FileOwners(client, "sluice", new UserConnections(client), Owners.NOBODY),
          folder,
          (short) 1);
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
          HDFS.superuser().listStatus(new org.apache.hadoop.fs.Path(folder, "segments"));
      return Stream.of(found).map(file -> file.getPath().getName()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
