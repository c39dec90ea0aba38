package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.disk.DiskOptions;
import io.sluice.server.disk.ReadOptions;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.segment.StoreDriver;
import io.sluice.server.segment.TestBlocks;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.RemoteTierSettings.Surroundings;
import io.sluice.server.tier.RemoteTiers;
import io.sluice.server.tier.SpareFolder;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Three servers with a tier on a real HDFS, whose tiers are closed after each test. */
abstract class HdfsTierFixture {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  static final DiskOptions OPTIONS =
      DiskOptions.ssd()
          .withSizes(1 << 20, 4 << 20)
          .withWritesAtMost(1)
          .withMaxOpenFiles(64)
          .withReads(ReadOptions.ssd().withCache(8 << 20));
  static final RemoteTierSettings.Sizes SIZES =
      new RemoteTierSettings.Sizes(OPTIONS, OPTIONS.withReads(OPTIONS.reads().withCache(0)));
  static final ShuffleKey SHUFFLE = TestBlocks.shuffle(7);

  final Path root = HDFS.newFolder();
  final ServerId first = new ServerId(new UUID(1, 1));
  final ServerId second = new ServerId(new UUID(2, 2));
  final ServerId third = new ServerId(new UUID(3, 3));
  private final List<RemoteTier> opened = new ArrayList<>();

  RemoteTier open(ServerId server, long incarnation) {
    return open(server, incarnation, Optional.empty());
  }

  RemoteTier open(ServerId server, long incarnation, Optional<java.nio.file.Path> localFolder) {
    return open(
        server,
        incarnation,
        List.of(),
        new Surroundings(localFolder.map(SpareFolder::new), HDFS.timers(), Owners.NOBODY));
  }

  RemoteTier open(
      ServerId server,
      long incarnation,
      List<java.nio.file.Path> configuration,
      Surroundings surroundings) {
    RemoteTier tier =
        RemoteTiers.open(
            new RemoteTierSettings(
                new RemoteStorage(
                    root.toString(),
                    configuration,
                    MiniHdfs.REPLICATION,
                    Duration.ofSeconds(60),
                    Optional.empty(),
                    Optional.empty(),
                    false),
                server,
                incarnation,
                SIZES,
                surroundings));
    opened.add(tier);
    return tier;
  }

  @AfterEach
  void closeAll() {
    opened.forEach(RemoteTier::close);
  }

  static List<Extent> write(SegmentStore store, int units) {
    List<Extent> extents = new ArrayList<>();
    for (int i = 0; i < units; i++) {
      int partition = i;
      extents.addAll(
          new StoreDriver(store)
              .write(SHUFFLE, unit -> TestBlocks.stage(unit, partition, 4, 90_000)));
    }
    return extents;
  }

  static void assertHolds(SegmentStore store, List<Extent> extents) {
    assertThat(store.recovered().getOrDefault(SHUFFLE, List.of()))
        .usingRecursiveFieldByFieldElementComparator()
        .containsExactlyInAnyOrderElementsOf(extents);
    StoreDriver driver = new StoreDriver(store);
    for (Extent extent : extents) {
      assertThat(driver.read(extent)).isEqualTo(TestBlocks.extent(extent.partition(), 4, 90_000));
    }
  }

  static Consumer<Throwable> hasCode(ErrorCode code) {
    return failure ->
        assertThat(failure)
            .isInstanceOfSatisfying(
                SluiceException.class, coded -> assertThat(coded.code()).isEqualTo(code));
  }

  static FileSystem files() throws IOException {
    return HDFS.cluster().getFileSystem();
  }

  /** Where a server's part lies. */
  Path folderOf(ServerId server) {
    return new Path(root, server.toString());
  }

  /** Where what a server has taken over lies. */
  Path adoptedBy(ServerId server) {
    return new Path(folderOf(server), "adopted");
  }

  /** All files below the root. */
  List<Path> segmentFiles() throws IOException {
    List<Path> found = new ArrayList<>();
    var entries = files().listFiles(root, true);
    while (entries.hasNext()) {
      FileStatus entry = entries.next();
      found.add(entry.getPath());
    }
    return found;
  }
}
