package io.sluice.tier.hdfs;

import io.sluice.server.disk.Disk;
import io.sluice.server.tier.Owners;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Of an HDFS that wants Kerberos, with the server's keytab. */
final class SecuredFolders extends HdfsFolders {
  private final SecuredHdfs hdfs = new SecuredHdfs();
  private final AtomicInteger folders = new AtomicInteger();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private Path root;

  @SuppressWarnings("NullAway.Init") // set before all tests
  private HdfsClient client;

  @Override
  public void beforeAll(ExtensionContext context) throws IOException {
    hdfs.beforeAll(context);
    root = hdfs.newRoot();
    client = hdfs.connect(root);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    client.close();
  }

  @Override
  Path newFolder() {
    return new Path(root, "server-" + folders.incrementAndGet());
  }

  @Override
  Disk open(Path folder) throws IOException {
    return HdfsDisk.open(
        client,
        new FileOwners(client, "sluice", new UserConnections(client), Owners.NOBODY),
        folder,
        (short) 1);
  }

  @Override
  FileSystem everything() throws IOException {
    return hdfs.superuser();
  }
}
