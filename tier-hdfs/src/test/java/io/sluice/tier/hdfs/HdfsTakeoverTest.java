package io.sluice.tier.hdfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.config.RemoteStorage;
import io.sluice.server.segment.Extent;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.tier.RemoteTier;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

/** How much a stand-in takes over, and what becomes of that when it comes to nothing or half. */
class HdfsTakeoverTest extends HdfsTierFixture {
  /** Puts something into folders that a server has taken over. */
  private void fill(Path adopted, int folders) throws IOException {
    for (int i = 0; i < folders; i++) {
      files().create(new Path(adopted, "other-" + i + "/segments/no-segment")).close();
    }
  }

  private List<String> namesIn(Path folder) throws IOException {
    return List.of(files().listStatus(folder)).stream()
        .map(entry -> entry.getPath().getName())
        .toList();
  }

  @Test
  void aFullStandInLooksForAServersFolderBeforeItCounts() throws IOException {
    fill(adoptedBy(second), RemoteStorage.ADOPTED_MAX);
    RemoteTier full = open(second, 1);
    List<Extent> flushed = write(open(first, 1).store(), 1);

    assertThatThrownBy(() -> full.adopt(third)).satisfies(hasCode(ErrorCode.UNKNOWN_SHUFFLE));
    assertThatThrownBy(() -> full.adopt(first)).satisfies(hasCode(ErrorCode.NO_DISK_SPACE));

    assertHolds(open(third, 1).adopt(first).get(0), flushed);
  }

  @Test
  void whatAServerHadTakenOverItselfCountsToo() throws IOException {
    fill(adoptedBy(second), RemoteStorage.ADOPTED_MAX - 1);
    RemoteTier standIn = open(second, 1);
    write(open(first, 1).store(), 1);
    fill(adoptedBy(first), 1);

    assertThatThrownBy(() -> standIn.adopt(first)).satisfies(hasCode(ErrorCode.NO_DISK_SPACE));

    assertThat(files().exists(folderOf(first))).as("left to another").isTrue();
    files().delete(adoptedBy(first), true);
    assertThat(standIn.adopt(first)).hasSize(1);
  }

  @Test
  void foldersInWhichNothingIsLeftAreDeletedAndCountNoMore() throws IOException {
    for (int i = 0; i < RemoteStorage.ADOPTED_MAX; i++) {
      files().mkdirs(new Path(adoptedBy(second), "other-" + i + "/segments"));
      files().mkdirs(new Path(adoptedBy(second), "other-" + i + "/probe"));
    }
    List<Extent> flushed = write(open(first, 1).store(), 1);
    RemoteTier standIn = open(second, 1);

    assertThat(namesIn(adoptedBy(second))).isEmpty();
    assertHolds(standIn.adopt(first).get(0), flushed);
    assertThat(namesIn(adoptedBy(second))).containsExactly(first + "-1");
  }

  @Test
  void aServerThatLeftNothingIsTakenOverAndForgotten() throws IOException {
    RemoteTier zombie = open(first, 1);
    RemoteTier standIn = open(second, 1);

    List<SegmentStore> adopted = standIn.adopt(first);

    assertThat(adopted).isEmpty();
    assertThat(namesIn(adoptedBy(second))).isEmpty();
    assertThatThrownBy(() -> write(zombie.store(), 1)).satisfies(hasCode(ErrorCode.DISK_FAILED));
    assertThatThrownBy(() -> standIn.adopt(first)).satisfies(hasCode(ErrorCode.UNKNOWN_SHUFFLE));
  }
}
