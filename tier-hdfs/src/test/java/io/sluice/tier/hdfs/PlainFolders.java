package io.sluice.tier.hdfs;

import io.sluice.server.disk.Disk;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Of an HDFS that believes everybody. */
final class PlainFolders extends HdfsFolders {
  private final MiniHdfs hdfs = new MiniHdfs();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private HdfsClient client;

  @Override
  public void beforeAll(ExtensionContext context) {
    hdfs.beforeAll(context);
    client = hdfs.connect();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    client.close();
  }

  @Override
  Path newFolder() {
    return hdfs.newFolder();
  }

  @Override
  Disk open(Path folder) throws IOException {
    return HdfsDisk.open(client, MiniHdfs.serverOnly(client), folder, (short) MiniHdfs.REPLICATION);
  }

  @Override
  FileSystem everything() throws IOException {
    return hdfs.files();
  }
}
