package io.sluice.server.damage;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.server.World;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.LocalDisk;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.metrics.ServerStats;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShares;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentFileName;
import io.sluice.server.segment.UnitBuilder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bytes of a segment file that were zeroed while the server was down. */
class DamagedFileTest {
  private static final ShuffleKey KEY = new ShuffleKey(ApplicationId.of(1, 2), 3, 0);
  private static final int PARTITION = 4;
  // Some of a look, one of more than one.
  private static final int[] STORED = {30_000, 200_000, 10, 70_000};

  private final Path directory;

  private final ServerStats stats = new ServerStats();
  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final ExtentChecks checks = new ExtentChecks(tasks::add, new World(1), stats);

  DamagedFileTest(@TempDir Path directory) {
    this.directory = directory;
  }

  private LocalSegmentStore open() {
    return LocalSegmentStore.open(LocalDisk.open(directory), DiskOptions.ssd(), 1, Clock.system());
  }

  private static Extent write(LocalSegmentStore store, int firstMap) {
    UnitBuilder unit = requireNonNull(store.tryStage(KEY, () -> {}));
    ByteBuffer target = unit.beginExtent(PARTITION);
    for (int i = 0; i < STORED.length; i++) {
      int start = target.position();
      int map = firstMap + i;
      BlockHeader.write(target, start, 0, PARTITION, map, map, 0, STORED[i], STORED[i], 1);
      BlockHeader.seal(target, start, new Crc32c());
      target.position(start + BlockHeader.LENGTH + STORED[i]);
      unit.endBlock();
    }
    unit.endExtent();
    CompletableFuture<List<Extent>> written = new CompletableFuture<>();
    store.write(
        unit,
        (extents, failure) -> {
          if (extents == null) {
            written.completeExceptionally(requireNonNull(failure));
          } else {
            written.complete(extents);
          }
        });
    return written.orTimeout(60, TimeUnit.SECONDS).join().get(0);
  }

  private void zero(Extent extent, int offset, int length) throws IOException {
    String name = String.format(Locale.ROOT, "%016x-*", extent.segment());
    try (DirectoryStream<Path> files =
            Files.newDirectoryStream(directory.resolve(SegmentFileName.FOLDER), name);
        FileChannel channel = FileChannel.open(files.iterator().next(), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(length), extent.offset() + offset);
    }
  }

  private static Shuffle recovered(LocalSegmentStore store) {
    Shuffle shuffle =
        new Shuffle(
            KEY,
            1 << 20,
            new TableShares(new TableBudget(1 << 20)).acquire(KEY.application()),
            new Quotas(QuotaLimits.NONE).acquire(KEY.application()));
    for (Extent extent : requireNonNull(store.recovered().get(KEY))) {
      shuffle.partition(PARTITION).recovered(new StoredExtent(store, extent));
    }
    return shuffle;
  }

  private static List<Integer> firstMaps(Shuffle shuffle) {
    List<Integer> maps = new ArrayList<>();
    shuffle
        .partition(PARTITION)
        .snapshot(MapRange.ALL)
        .extents()
        .forEach(stored -> maps.add(stored.extent().firstMap()));
    return maps;
  }

  private static int blocks(Shuffle shuffle) {
    return shuffle.partition(PARTITION).snapshot(MapRange.ALL).extents().stream()
        .mapToInt(stored -> stored.extent().blocks())
        .sum();
  }

  private void complain(Shuffle shuffle) throws InterruptedException {
    checks.complaint(this, shuffle, PARTITION, false);
    while (checks.looking() > 0) {
      requireNonNull(tasks.poll(60, TimeUnit.SECONDS)).run();
    }
  }

  @Test
  void isFoundAfterEachStart() throws Exception {
    try (LocalSegmentStore store = open()) {
      write(store, 0);
      Extent damaged = write(store, 10);
      write(store, 20);
      int second = BlockHeader.LENGTH + STORED[0];
      zero(damaged, second + BlockHeader.LENGTH + STORED[1], BlockHeader.LENGTH);
    }
    for (int starts = 1; starts <= 2; starts++) {
      try (LocalSegmentStore store = open()) {
        Shuffle shuffle = recovered(store);
        assertThat(firstMaps(shuffle)).containsExactlyInAnyOrder(0, 10, 20);

        complain(shuffle);

        assertThat(firstMaps(shuffle)).containsExactlyInAnyOrder(0, 10, 20);
        assertThat(blocks(shuffle)).isEqualTo(STORED.length + 2 + STORED.length);
        assertThat(stats.cutExtents()).isEqualTo(starts);
        long read = store.usage().bytesRead();
        complain(shuffle);
        assertThat(store.usage().bytesRead()).isEqualTo(read);
        assertThat(tasks).isEmpty();
      }
    }
  }

  @Test
  void aPayloadThatIsGoneHidesNothing() throws Exception {
    try (LocalSegmentStore store = open()) {
      Extent extent = write(store, 0);
      zero(extent, 2 * BlockHeader.LENGTH + STORED[0], STORED[1]);
    }
    try (LocalSegmentStore store = open()) {
      Shuffle shuffle = recovered(store);
      complain(shuffle);
      assertThat(firstMaps(shuffle)).containsExactly(0);
      assertThat(stats.cutExtents()).isZero();
    }
  }
}
