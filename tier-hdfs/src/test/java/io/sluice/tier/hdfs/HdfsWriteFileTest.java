package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.World;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is done about a write that the datanodes do not acknowledge, and how long it may take. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HdfsWriteFileTest {
  private static final long DEADLINE = TimeUnit.SECONDS.toNanos(4);
  private static final Path FILE = new Path(FakeHdfs.SCHEME + "://here/segments/1");

  private final World world = new World(1);
  private final CountDownLatch released = new CountDownLatch(1);
  private final HdfsClient client = connect();
  private final FakeHdfs hdfs = (FakeHdfs) client.files();

  private HdfsClient connect() {
    Configuration hadoop = new Configuration();
    hadoop.setClass("fs." + FakeHdfs.SCHEME + ".impl", FakeHdfs.class, FakeHdfs.class);
    HdfsUser user = HdfsUser.login(hadoop, Optional.empty(), Optional.empty());
    return HdfsClient.open(FILE, hadoop, new HdfsCalls(user, 4, DEADLINE), world);
  }

  @AfterEach
  void disconnect() {
    released.countDown();
    client.close();
  }

  /** A file whose first write has failed. */
  private HdfsWriteFile failed() throws IOException {
    return failed(0);
  }

  /** A file of so many bytes, the write behind which has failed. */
  private HdfsWriteFile failed(long length) throws IOException {
    hdfs.length(length);
    HdfsWriteFile file =
        new HdfsWriteFile(client, new HdfsSpace(client, FILE.getParent(), 1), FILE, length);
    assertThatThrownBy(() -> file.write(ByteBuffer.allocate(4096), length))
        .hasMessage("no acknowledgement");
    return file;
  }

  /** Closing waits for what the write waited for in vain, until somebody lets it go. */
  private void hang() {
    boolean waiting = true;
    while (waiting) {
      try {
        released.await();
        waiting = false;
      } catch (InterruptedException deaf) {
        // Goes on hanging.
      }
    }
  }

  @Test
  void aCutGoesOnWithoutAStreamThatDoesNotClose() throws IOException {
    HdfsWriteFile file = failed();
    hdfs.duringClose(this::hang);

    file.truncate(0);

    assertThat(hdfs.recoveries()).isEqualTo(1);
    assertThat(file.length()).isZero();
  }

  @Test
  void aCutTakesNoLongerThanOneCallMay() throws IOException {
    HdfsWriteFile file = failed();
    hdfs.duringClose(() -> world.standStill(DEADLINE));

    assertThatThrownBy(() -> file.truncate(0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no time was left");

    assertThat(hdfs.recoveries()).isZero();
    assertThatThrownBy(() -> file.write(ByteBuffer.allocate(4096), 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("was not cut off");
  }

  /** A namenode that is slow and a pipeline that hangs are not to take the whole tier. */
  @Test
  void aWriteTakesNoLongerThanOneCallMay() throws IOException {
    hdfs.duringAppend(() -> world.standStill(DEADLINE));
    HdfsWriteFile file =
        new HdfsWriteFile(client, new HdfsSpace(client, FILE.getParent(), 1), FILE, 0);

    assertThatThrownBy(() -> file.write(ByteBuffer.allocate(4096), 0))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no time was left");
  }

  @Test
  void aFileThatCameBackShorterIsNotCutAndTakesNothingMore() throws IOException {
    HdfsWriteFile file = failed(8192);
    hdfs.length(4096);

    assertThatThrownBy(() -> file.truncate(8192))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is 4096 bytes long");

    // Neither where it ends now nor where it ended before.
    for (long position : new long[] {4096, 8192}) {
      assertThatThrownBy(() -> file.write(ByteBuffer.allocate(4096), position))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("was not cut off");
    }
  }

  /** Of a file that is open still the namenode counts the blocks that are full. */
  private HdfsWriteFile openedShort() throws IOException {
    HdfsWriteFile file =
        new HdfsWriteFile(client, new HdfsSpace(client, FILE.getParent(), 1), FILE, 4096);
    assertThatThrownBy(() -> file.write(ByteBuffer.allocate(4096), 8192))
        .hasMessageContaining("appends only");
    return file;
  }

  @Test
  void aFileThatIsLongerThanItSeemedIsClosedByTheCutAndGoesOn() throws IOException {
    hdfs.length(8192);
    HdfsWriteFile file = openedShort();

    file.truncate(8192);

    assertThat(hdfs.recoveries()).isEqualTo(1);
    assertThat(file.length()).isEqualTo(8192);
    assertThatThrownBy(() -> file.write(ByteBuffer.allocate(4096), 8192))
        .as("as far as the pipeline")
        .hasMessage("no acknowledgement");
  }

  @Test
  void aFileThatIsShorterThanItWasIsNotCutThoughNothingWasWritten() throws IOException {
    hdfs.length(4096);
    HdfsWriteFile file = openedShort();

    assertThatThrownBy(() -> file.truncate(8192))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is 4096 bytes long");
  }
}
