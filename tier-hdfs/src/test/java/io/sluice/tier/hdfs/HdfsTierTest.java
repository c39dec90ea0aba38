package io.sluice.tier.hdfs;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.catalog.Removal;
import io.sluice.server.catalog.RocksUnitCatalog;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.disk.DiskFile;
import io.sluice.server.lifecycle.ShuffleRegistry;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.LocalSegmentStore;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTierSettings;
import io.sluice.server.tier.RemoteTierSettings.Surroundings;
import io.sluice.server.tier.RemoteTiers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that die, come back and stand in for each other, on a real HDFS. */
class HdfsTierTest extends HdfsTierFixture {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  Path local;

  @Test
  void aStandInServesWhatAServerWroteThatStillBelievesItOwnsItsFiles() throws IOException {
    RemoteTier zombie = open(first, 1);
    List<Extent> flushed = write(zombie.store(), 6);
    RemoteTier standIn = open(second, 1);

    List<SegmentStore> adopted = Adoptions.of(standIn, first);

    assertThat(adopted).hasSize(1);
    assertHolds(adopted.get(0), flushed);
    // It sees that its folder is gone, and is fenced for good: no probe finds it again.
    assertThatThrownBy(() -> write(zombie.store(), 1)).satisfies(hasCode(ErrorCode.DISK_FAILED));
    assertThat(zombie.store().tryStage(SHUFFLE, () -> {})).isNull();
    assertThat(zombie.store().health().healthy()).isFalse();
    assertThat(files().exists(folderOf(first))).isFalse();
    assertHolds(adopted.get(0), flushed);
  }

  @Test
  void aFileThatWasTakenFromItsWriterTakesNoMoreBytes() throws IOException {
    try (HdfsClient zombie = HDFS.connect();
        HdfsClient standIn = HDFS.connect();
        HdfsDisk disk =
            HdfsDisk.open(
                zombie, MiniHdfs.serverOnly(zombie), root, (short) MiniHdfs.REPLICATION)) {
      DiskFile file = disk.create("segments/1");
      file.write(ByteBuffer.allocateDirect(4096), 0);
      org.apache.hadoop.fs.Path path = new org.apache.hadoop.fs.Path(root, "segments/1");

      new FileLeases(standIn).take(List.of(path));

      // Nobody looked whether the folder is still there: the datanodes alone refuse.
      assertThatThrownBy(() -> file.write(ByteBuffer.allocateDirect(4096), 4096))
          .isInstanceOf(IOException.class);
      assertThat(files().getFileStatus(path).getLen()).isEqualTo(4096);
      assertThatThrownBy(file::close).isInstanceOf(IOException.class);
    }
  }

  @Test
  void onlyOneOfTwoStandInsGetsAServersFiles() {
    write(open(first, 1).store(), 1);
    RemoteTier winner = open(second, 1);
    RemoteTier loser = open(third, 1);

    assertThat(Adoptions.of(winner, first)).hasSize(1);

    Adoptions taken = new Adoptions();
    assertThatThrownBy(() -> loser.adopt(first, taken))
        .satisfies(hasCode(ErrorCode.UNKNOWN_SHUFFLE));
    assertThatThrownBy(() -> loser.adopt(third, taken))
        .satisfies(hasCode(ErrorCode.INVALID_ARGUMENT));
    assertThat(taken.stores).isEmpty();
  }

  @Test
  void aStandInsRegistryFindsTheExtentsAndRemovesThem() throws IOException {
    List<Extent> flushed = write(open(first, 1).store(), 3);
    ShuffleRegistry registry =
        new ShuffleRegistry(
            1 << 20, List.of(), new TableBudget(1 << 20), new Quotas(QuotaLimits.NONE));
    RemoteTier standIn = open(second, 1);

    registry.adopt(Adoptions.of(standIn, first).get(0));

    List<StoredExtent> found =
        requireNonNull(requireNonNull(registry.find(SHUFFLE)).find(2))
            .snapshot(new MapRange(0, Integer.MAX_VALUE))
            .extents();
    assertThat(found)
        .extracting(extent -> extent.extent().length())
        .containsExactly(flushed.get(2).length());
    registry.remove(SHUFFLE);
    standIn.close();
    assertThat(segmentFiles()).isEmpty();
  }

  @Test
  void whatWasTakenOverIsThereAfterARestartAndGoesOnToTheNextStandIn() {
    List<Extent> ofFirst = write(open(first, 1).store(), 2);
    RemoteTier standIn = open(second, 1);
    Adoptions.of(standIn, first);
    List<Extent> ofSecond = write(standIn.store(), 3);
    standIn.close();

    RemoteTier restarted = open(second, 2);
    List<SegmentStore> adopted = Adoptions.before(restarted);
    assertThat(adopted).hasSize(1);
    assertHolds(adopted.get(0), ofFirst);
    assertHolds(restarted.store(), ofSecond);
    List<SegmentStore> inherited = Adoptions.of(open(third, 1), second);

    assertThat(inherited).hasSize(2);
    assertHolds(inherited.get(0), ofSecond);
    assertHolds(inherited.get(1), ofFirst);
  }

  @Test
  void aServerThatDiedFindsEverythingThatWasFlushedThoughItsFilesWereOpen() {
    List<Extent> before = write(open(first, 1).store(), 5);

    RemoteTier again = open(first, 2);

    assertHolds(again.store(), before);
    List<Extent> after = write(again.store(), 2);
    assertThat(after.get(0).segment()).isGreaterThan(before.get(4).segment());
  }

  @Test
  void aTornUnitIsCutOffAndTheRestServed() throws IOException {
    RemoteTier dead = open(first, 1);
    List<Extent> flushed = write(dead.store(), 2);
    dead.close();
    org.apache.hadoop.fs.Path segment = segmentFiles().get(0);
    long length = files().getFileStatus(segment).getLen();
    // Half a unit: what a writer leaves that dies within a write. Left open, as it would be.
    byte[] torn = new byte[300_000];
    try (var input = files().open(segment)) {
      input.readFully(0, torn);
    }
    @SuppressWarnings("resource") // its lease is taken away
    FSDataOutputStream out = files().append(segment);
    out.write(torn);
    out.hflush();

    SegmentStore adopted = Adoptions.of(open(second, 1), first).get(0);

    assertHolds(adopted, flushed);
    assertThat(files().getFileStatus(segmentFiles().get(0)).getLen()).isEqualTo(length);
  }

  @Test
  void aCatalogOnALocalDiskSavesReadingHeaders() {
    RemoteTier tier = open(first, 1, Optional.of(local));
    List<Extent> before = write(tier.store(), 3);
    tier.close();

    RemoteTier again = open(first, 2, Optional.of(local));

    assertHolds(again.store(), before);
    assertThat(((LocalSegmentStore) again.store()).recovery().replayedUnits()).isZero();
    assertThat(local.resolve("hdfs-catalog")).isNotEmptyDirectory();
  }

  /** A data directory with a catalog of its own. */
  private Optional<Path> directory(String name) throws IOException {
    return Optional.of(Files.createDirectories(local.resolve(name)));
  }

  private RocksUnitCatalog catalogIn(Optional<Path> directory) {
    return RocksUnitCatalog.open(
        directory.orElseThrow().resolve("hdfs-catalog"), OPTIONS.catalogMemory());
  }

  @Test
  void aCatalogThatWasAwayRemovesNothingThatHasItsNumbersNow() throws IOException {
    RemoteTier tier = open(first, 1, directory("a"));
    // The shuffle that has the number again: no other is hurt by a removal.
    long number = write(tier.store(), 1).get(0).segment();
    tier.close();
    // Killed when the file was gone, and before its removal was forgotten.
    files().delete(segmentFiles().get(0), false);
    try (RocksUnitCatalog catalog = catalogIn(directory("a"))) {
      catalog.beginRemoval(List.of(new Removal(number, SHUFFLE)));
    }
    RemoteTier withAnother = open(first, 2, directory("b"));
    List<Extent> flushed = write(withAnother.store(), 2);
    assertThat(flushed).extracting(Extent::segment).containsOnly(number);
    withAnother.close();

    RemoteTier back = open(first, 3, directory("a"));

    assertHolds(back.store(), flushed);
    assertThat(back.store().lostUnits()).isZero();
    assertThat(((LocalSegmentStore) back.store()).recovery().replayedUnits()).isPositive();
    back.close();
    RemoteTier again = open(first, 4, directory("a"));
    assertHolds(again.store(), flushed);
    assertThat(((LocalSegmentStore) again.store()).recovery().replayedUnits()).isZero();
  }

  @Test
  void aCatalogThatWasAwayTakesNothingForLostThatWasRemovedMeanwhile() throws IOException {
    for (Optional<Path> meanwhile : List.of(directory("b"), Optional.<Path>empty())) {
      RemoteTier before = open(first, 1, directory("a"));
      write(before.store(), 2);
      before.close();
      RemoteTier without = open(first, 2, meanwhile);
      without.store().remove(SHUFFLE);
      without.close();
      assertThat(segmentFiles()).isEmpty();

      RemoteTier back = open(first, 3, directory("a"));

      assertThat(back.store().lostUnits()).isZero();
      assertThat(back.store().recovered()).isEmpty();
      back.close();
    }
  }

  @Test
  void refusesAFolderThatIsNotOnHdfs() {
    assertThatThrownBy(
            () ->
                RemoteTiers.open(
                    new RemoteTierSettings(
                        new RemoteStorage(
                            "s3a://bucket/sluice",
                            List.of(),
                            1,
                            Duration.ofSeconds(5),
                            Optional.empty(),
                            Optional.empty(),
                            false),
                        first,
                        1,
                        SIZES,
                        new Surroundings(Optional.empty(), HDFS.timers(), Owners.NOBODY))))
        .satisfies(hasCode(ErrorCode.INVALID_CONFIGURATION))
        .hasMessageContaining("sluice-tier-s3a");
  }
}
