package io.sluice.tier.hdfs;

import io.sluice.server.disk.Disk;
import io.sluice.server.tier.Owners;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract over a real HDFS that wants Kerberos, with the server's keytab. */
class SecuredSegmentStoreTest extends HdfsStoreContractTest {
  private static final AtomicInteger FOLDERS = new AtomicInteger();

  @RegisterExtension static final SecuredHdfs HDFS = new SecuredHdfs();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static Path root;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static HdfsClient client;

  private final Path folder = new Path(root, "server-" + FOLDERS.incrementAndGet());

  @BeforeAll
  static void connect() throws IOException {
    root = HDFS.newRoot();
    client = HDFS.connect(root);
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
    return HdfsDisk.open(
        client,
        new FileOwners(client, "sluice", new UserConnections(client), Owners.NOBODY),
        folder,
        (short) 1);
  }

  @Override
  FileSystem everything() throws IOException {
    return HDFS.superuser();
  }
}
