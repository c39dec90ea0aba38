package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.partition.TableNeed;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.tier.RemoteTier;
import io.sluice.server.tier.RemoteTier.Unopened;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** What a stand-in has no room for it leaves closed, and it can be handed to another one. */
class AdoptedTablesTest extends HdfsTierFixture {
  private static void assertLeft(List<Unopened> unopened, Path folder, ErrorCode why) {
    assertThat(unopened).extracting(Unopened::folder).containsExactly(folder.toString());
    assertThat(unopened.get(0).why()).satisfies(hasCode(why));
  }

  @Test
  void readsNoMoreExtentsThanTheHeapHasRoomFor() throws IOException {
    List<Extent> flushed = write(open(first, 1).store(), 6);
    RemoteTier small = open(second, 1);
    Adoptions taken = new Adoptions();
    taken.room = TableNeed.ofExtents(flushed) - 1;
    Path left = new Path(adoptedBy(second), first + "-1");

    assertLeft(small.adopt(first, taken), left, ErrorCode.NO_MEMORY);

    small.close();
    RemoteTier restarted = open(second, 2);
    assertLeft(restarted.openAdopted(taken), left, ErrorCode.NO_MEMORY);
    assertThat(taken.stores).isEmpty();
    restarted.close();
    RemoteTier withMoreHeap = open(second, 3);
    taken.room++;
    assertThat(withMoreHeap.openAdopted(taken)).isEmpty();
    assertHolds(taken.stores.get(0), flushed);
  }

  @Test
  void whatIsLeftClosedCanBeHandedToAnotherServerAndNothingMoreIsTaken() throws IOException {
    List<Extent> flushed = write(open(first, 1).store(), 2);
    RemoteTier another = open(third, 1);
    RemoteTier standIn = open(second, 1);
    Adoptions taken = new Adoptions();
    taken.room = 0;
    assertThat(standIn.adopt(first, taken)).hasSize(1);

    assertThatThrownBy(() -> standIn.adopt(third, taken)).satisfies(hasCode(ErrorCode.NO_MEMORY));

    assertThat(files().exists(folderOf(third))).isTrue();
    // As docs/operations/hdfs.md has it.
    files().rename(new Path(adoptedBy(second), first + "-1"), folderOf(first));
    assertHolds(Adoptions.of(another, first).get(0), flushed);
  }

  @Test
  void closesWhatItsStandInDoesNotTakeUp() {
    write(open(first, 1).store(), 1);
    RemoteTier standIn = open(second, 1);
    Adoptions taken = new Adoptions();
    taken.takes = false;

    assertLeft(
        standIn.adopt(first, taken),
        new Path(adoptedBy(second), first + "-1"),
        ErrorCode.NO_MEMORY);

    SegmentStore refused = taken.stores.get(0);
    assertThatThrownBy(() -> refused.tryStage(SHUFFLE, () -> {}))
        .satisfies(hasCode(ErrorCode.SHUTTING_DOWN));
  }

  @Test
  void opensNoMoreThanThereMayBeWhateverLiesThere() throws IOException {
    int folders = RemoteStorage.ADOPTED_MAX + 2;
    for (int i = 0; i < folders; i++) {
      Path folder = new Path(adoptedBy(second), "other-" + i);
      files().create(new Path(folder, "segments/no-segment")).close();
    }
    Adoptions taken = new Adoptions();

    List<Unopened> unopened = open(second, 1).openAdopted(taken);

    assertThat(taken.stores).hasSize(RemoteStorage.ADOPTED_MAX);
    assertThat(unopened).hasSize(folders - RemoteStorage.ADOPTED_MAX);
    for (Unopened folder : unopened) {
      assertThat(folder.why()).satisfies(hasCode(ErrorCode.NO_DISK_SPACE));
    }
  }
}
