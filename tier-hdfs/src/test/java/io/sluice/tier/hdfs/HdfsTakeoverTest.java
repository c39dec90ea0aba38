package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.tier.Owners;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTier.Unopened;
import io.sluice.server.tier.RemoteTierSettings.Surroundings;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much a stand-in takes over, and what becomes of that when it comes to nothing or half. */
class HdfsTakeoverTest extends HdfsTierFixture {
  @TempDir
  @SuppressWarnings("NullAway.Init") // set by JUnit
  java.nio.file.Path local;

  /** Puts something into folders that a server has taken over. */
  private void fill(Path adopted, int folders) throws IOException {
    for (int i = 0; i < folders; i++) {
      files().create(new Path(adopted, "other-" + i + "/segments/no-segment")).close();
    }
  }

  private List<String> namesIn(Path folder) throws IOException {
    return Stream.of(files().listStatus(folder)).map(entry -> entry.getPath().getName()).toList();
  }

  @Test
  void aFullStandInLooksForAServersFolderBeforeItCounts() throws IOException {
    fill(adoptedBy(second), RemoteStorage.ADOPTED_MAX);
    RemoteTier full = open(second, 1);
    Adoptions taken = new Adoptions();
    assertThat(full.openAdopted(taken)).isEmpty();
    List<Extent> flushed = write(open(first, 1).store(), 1);

    assertThatThrownBy(() -> full.adopt(third, taken))
        .satisfies(hasCode(ErrorCode.UNKNOWN_SHUFFLE));
    assertThatThrownBy(() -> full.adopt(first, taken)).satisfies(hasCode(ErrorCode.NO_DISK_SPACE));

    assertThat(taken.stores).hasSize(RemoteStorage.ADOPTED_MAX);
    assertHolds(Adoptions.of(open(third, 1), first).get(0), flushed);
  }

  @Test
  void whatAServerHadTakenOverItselfCountsToo() throws IOException {
    fill(adoptedBy(second), RemoteStorage.ADOPTED_MAX - 1);
    RemoteTier standIn = open(second, 1);
    assertThat(Adoptions.before(standIn)).hasSize(RemoteStorage.ADOPTED_MAX - 1);
    write(open(first, 1).store(), 1);
    fill(adoptedBy(first), 1);

    assertThatThrownBy(() -> standIn.adopt(first, new Adoptions()))
        .satisfies(hasCode(ErrorCode.NO_DISK_SPACE));

    assertThat(files().exists(folderOf(first))).as("left to another").isTrue();
    files().delete(adoptedBy(first), true);
    assertThat(Adoptions.of(standIn, first)).hasSize(1);
  }

  @Test
  void foldersInWhichNothingIsLeftAreDeletedAndCountNoMore() throws IOException {
    for (int i = 0; i < RemoteStorage.ADOPTED_MAX; i++) {
      files().mkdirs(new Path(adoptedBy(second), "other-" + i + "/segments"));
      files().mkdirs(new Path(adoptedBy(second), "other-" + i + "/probe"));
    }
    List<Extent> flushed = write(open(first, 1).store(), 1);
    RemoteTier standIn = open(second, 1);

    assertThat(Adoptions.before(standIn)).isEmpty();
    assertThat(namesIn(adoptedBy(second))).isEmpty();
    assertHolds(Adoptions.of(standIn, first).get(0), flushed);
    assertThat(namesIn(adoptedBy(second))).containsExactly(first + "-1");
  }

  @Test
  void aServerThatLeftNothingIsTakenOverAndForgotten() throws IOException {
    RemoteTier zombie = open(first, 1);
    RemoteTier standIn = open(second, 1);

    assertThat(Adoptions.of(standIn, first)).isEmpty();

    assertThat(namesIn(adoptedBy(second))).isEmpty();
    assertThatThrownBy(() -> write(zombie.store(), 1)).satisfies(hasCode(ErrorCode.DISK_FAILED));
    assertThatThrownBy(() -> standIn.adopt(first, new Adoptions()))
        .satisfies(hasCode(ErrorCode.UNKNOWN_SHUFFLE));
  }

  /** A file of Hadoop's with one setting. */
  private java.nio.file.Path setting(String name, String value) throws IOException {
    return Files.writeString(
        local.resolve(name + ".xml"),
        "<configuration><property><name>"
            + name
            + "</name><value>"
            + value
            + "</value></property></configuration>");
  }

  /** A server's tier over an HDFS that answers no rename after the first ones. */
  private RemoteTier openWithRenames(ServerId server, int answered) throws IOException {
    return open(
        server,
        1,
        List.of(
            setting("fs.hdfs.impl", FewRenames.class.getName()),
            setting(FewRenames.ANSWERED, Integer.toString(answered))),
        new Surroundings(Optional.empty(), HDFS.timers(), Owners.NOBODY));
  }

  /** Has the second of three servers take over from the first, who stood in for the third. */
  private Written standInForAStandIn() throws IOException {
    List<Extent> ofThird = write(open(third, 1).store(), 2);
    RemoteTier dead = open(first, 1);
    Adoptions.of(dead, third);
    List<Extent> ofFirst = write(dead.store(), 3);
    dead.close();
    return new Written(ofFirst, ofThird);
  }

  private record Written(List<Extent> ofFirst, List<Extent> ofThird) {}

  @Test
  void aTakeoverThatFailsBetweenItsRenamesIsFinishedByTheNextStart() throws IOException {
    Written written = standInForAStandIn();
    RemoteTier standIn = openWithRenames(second, 1);
    Adoptions taken = new Adoptions();
    assertThatThrownBy(() -> standIn.adopt(first, taken)).satisfies(hasCode(ErrorCode.DISK_FAILED));
    assertThat(namesIn(new Path(adoptedBy(second), first + "-1/adopted")))
        .containsExactly(third + "-1");
    standIn.close();

    List<SegmentStore> adopted = Adoptions.before(open(second, 2));

    assertThat(namesIn(adoptedBy(second))).containsExactly(first + "-1", third + "-1");
    assertThat(adopted).hasSize(2);
    assertHolds(adopted.get(0), written.ofFirst());
    assertHolds(adopted.get(1), written.ofThird());
    for (SegmentStore store : adopted) {
      store.remove(SHUFFLE);
      store.close();
    }
    assertThat(segmentFiles()).as("what is removed is deleted, too").isEmpty();
  }

  @Test
  void aFolderThatCannotBeOpenedCostsTheOthersNothing() throws IOException {
    Written written = standInForAStandIn();
    Path inherited = new Path(adoptedBy(first), third + "-1");
    // No folder can be made where a file is.
    files().rename(new Path(inherited, "segments"), new Path(inherited, "aside"));
    files().create(new Path(inherited, "segments")).close();
    RemoteTier standIn = open(second, 1);
    Adoptions taken = new Adoptions();

    List<Unopened> unopened = standIn.adopt(first, taken);

    assertThat(taken.stores).hasSize(1);
    assertHolds(taken.stores.get(0), written.ofFirst());
    Path left = new Path(adoptedBy(second), third + "-1");
    assertThat(unopened).extracting(Unopened::folder).containsExactly(left.toString());
    assertThat(unopened.get(0).why()).satisfies(hasCode(ErrorCode.DISK_FAILED));
    standIn.close();
    files().delete(new Path(left, "segments"), false);
    files().rename(new Path(left, "aside"), new Path(left, "segments"));
    assertHolds(Adoptions.before(open(second, 2)).get(1), written.ofThird());
  }
}
