package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A file that HDFS did not close when it was let go of, on a real one. */
class LeftOpenFileTest {
  private static final int PAGE = Disk.ALIGNMENT;
  private static final String FILE = "segments/left";

  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  /** Of an open block the namenode knows what was first flushed, and not what came after it. */
  @Test
  void isWrittenOnAfterTheOneUnitThatFailsAtIt() throws IOException {
    try (HdfsClient client = HDFS.connect()) {
      Disk disk =
          HdfsDisk.open(
              client, MiniHdfs.serverOnly(client), HDFS.newFolder(), (short) MiniHdfs.REPLICATION);
      DiskFile left = disk.create(FILE);
      left.write(ByteBuffer.allocate(PAGE), 0);
      left.write(ByteBuffer.allocate(PAGE), PAGE);

      try (DiskFile again = disk.openForWrite(FILE)) {
        assertThatThrownBy(() -> again.write(ByteBuffer.allocate(PAGE), 2 * PAGE))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("ends at " + PAGE);
        again.truncate(2 * PAGE);
        again.write(ByteBuffer.allocate(PAGE), 2 * PAGE);
      }

      assertThat(disk.openForRead(FILE).length()).isEqualTo(3 * PAGE);
    }
  }
}
