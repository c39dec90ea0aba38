package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.catalog.UnitCatalog;
import io.sluice.server.disk.NamedPipe;
import io.sluice.server.segment.TestBlocks;
import io.sluice.server.tier.SpareFolder;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A local disk that hangs when a server opens there what it has noted of its segments on HDFS. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HungCatalogTest {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  private static final SpareCatalog.Patience SHORT =
      new SpareCatalog.Patience(
          TimeUnit.MILLISECONDS.toNanos(100), TimeUnit.MILLISECONDS.toNanos(300));

  private final Path local;
  private final SpareFolder spare;
  private final org.apache.hadoop.fs.Path folder = HDFS.newFolder();
  private final HdfsClient client = HDFS.connect();

  HungCatalogTest(@TempDir Path local) {
    this.local = local;
    this.spare = new SpareFolder(local);
  }

  @AfterEach
  void disconnect() {
    client.close();
  }

  private UnitCatalog open(SpareCatalog.Patience patience) throws IOException {
    return open(path -> RocksUnitCatalog.open(path, 16 << 20), patience);
  }

  private UnitCatalog open(Function<Path, RocksUnitCatalog> opening, SpareCatalog.Patience patience)
      throws IOException {
    return FolderCatalog.open(client, folder, Optional.of(spare), opening, patience);
  }

  private boolean isStamped() throws IOException {
    return new CatalogStamp(client, folder).read().isPresent();
  }

  @Test
  void isLeftToItselfAndNoLaterStartBelievesWhatItComesTo() throws Exception {
    try (UnitCatalog catalog = open(SpareCatalog.Patience.USUAL)) {
      catalog.put(1, 0, ByteBuffer.allocate(100));
    }
    assertThat(isStamped()).isTrue();
    Path current = local.resolve("hdfs-catalog/CURRENT");
    byte[] content = Files.readAllBytes(current);
    Files.delete(current);
    NamedPipe.make(current);

    try (UnitCatalog without = open(SHORT)) {
      assertThat(without).isInstanceOf(HeaderCatalog.class);
      assertThat(isStamped()).isFalse();
    } finally {
      release(current);
    }

    // What was written without it, and so is not in it, is found by headers.
    Files.write(current, content);
    try (UnitCatalog again = openLocal()) {
      again.scan(
          (segment, offset, header) -> {
            throw new AssertionError("a unit of " + TestBlocks.shuffle(1) + " is believed");
          });
    }
  }

  /** As when HDFS comes and goes meanwhile. */
  @Test
  void hasOneThreadHangHoweverOftenTheTierIsTried() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    AtomicInteger hanging = new AtomicInteger();
    for (int i = 0; i < 5; i++) {
      try (UnitCatalog without = open(path -> hang(hanging, answer), SHORT)) {
        assertThat(without).isInstanceOf(HeaderCatalog.class);
      }
    }
    assertThat(hanging).hasValue(1);

    answer.countDown();

    try (UnitCatalog again = openLocal()) {
      assertThat(again).isInstanceOf(SpareCatalog.class);
    }
  }

  private static RocksUnitCatalog hang(AtomicInteger hanging, CountDownLatch answer) {
    hanging.incrementAndGet();
    try {
      answer.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    throw new SluiceException(ErrorCode.DISK_FAILED, "simulated disk that hung");
  }

  /** Who hung has the folder until he has seen that there is nothing. */
  private UnitCatalog openLocal() throws IOException {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(60);
    UnitCatalog catalog = open(SpareCatalog.Patience.USUAL);
    while (catalog instanceof HeaderCatalog) {
      catalog.close();
      assertThat(Clock.system().nanoTime())
          .as("time for the folder to be free")
          .isLessThan(deadline);
      catalog = open(SpareCatalog.Patience.USUAL);
    }
    return catalog;
  }

  /** Ends the wait of whoever is at the other end, who finds nothing. */
  private static void release(Path pipe) throws IOException {
    try (OutputStream writer = Files.newOutputStream(pipe)) {
      Files.delete(pipe);
      writer.flush();
    }
  }
}
