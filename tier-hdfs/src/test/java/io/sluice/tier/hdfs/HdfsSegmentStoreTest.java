package io.sluice.tier.hdfs;

import io.sluice.server.disk.Disk;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract over a real HDFS. */
class HdfsSegmentStoreTest extends HdfsStoreContractTest {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static HdfsClient client;

  private final Path folder = HDFS.newFolder();

  @BeforeAll
  static void connect() {
    client = HDFS.connect();
  }

  @AfterAll
  static void disconnect() {
    client.close();
  }

  @Override
  Path folder() {
    return folder;
  }

  @Override
  Disk openDisk() throws IOException {
    return HdfsDisk.open(client, MiniHdfs.serverOnly(client), folder, (short) MiniHdfs.REPLICATION);
  }

  @Override
  FileSystem everything() throws IOException {
    return HDFS.files();
  }
}
