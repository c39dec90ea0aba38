package io.sluice.mapreduce.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagedPlacementLogTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private StagedPlacementLog log;

  @BeforeEach
  void open() throws IOException {
    Configuration conf = new Configuration(false);
    conf.set("fs.AbstractFileSystem.file.impl", "org.apache.hadoop.fs.local.LocalFs");
    log =
        StagedPlacementLog.in(
            new org.apache.hadoop.fs.Path(folder.resolve("job/sluice").toUri()), conf);
    Files.createDirectory(folder.resolve("job"));
    log.begin();
    log.begin();
  }

  @Test
  void aJobThatIsGoneIsNotMadeAgain() throws IOException {
    Files.delete(folder.resolve("job/sluice"));
    Files.delete(folder.resolve("job"));

    assertThatThrownBy(log::begin).isInstanceOf(IOException.class);
    assertThat(folder.resolve("job")).doesNotExist();
  }

  private static FixedPlacement placement(int partitions) {
    return FixedPlacement.of(
        new ShuffleKey(ApplicationId.of(1, 2), 0, 0),
        partitions,
        List.of(new PlacedServer(ServerId.of(3, 4), 5, "host", 6)),
        1,
        new int[partitions]);
  }

  @Test
  void isEmptyUntilSomethingIsAppended() throws IOException {
    assertThat(log.newest()).isNull();
  }

  @Test
  void theNewestVersionIsTheOneWithTheHighestNumber() throws IOException {
    for (int number = 0; number < 12; number++) {
      assertThat(log.append(number, placement(number + 1))).isTrue();
    }

    PlacementLog.Version newest = Objects.requireNonNull(log.newest());
    assertThat(newest.number()).isEqualTo(11);
    assertThat(newest.placement().partitions()).isEqualTo(12);
    assertThat(newest.placement().servers()).isEqualTo(placement(1).servers());
  }

  @Test
  void whoComesSecondChangesNothingAndLeavesNothingBehind() throws IOException {
    assertThat(log.append(0, placement(1))).isTrue();
    assertThat(log.append(0, placement(2))).isFalse();

    assertThat(Objects.requireNonNull(log.newest()).placement().partitions()).isEqualTo(1);
    try (Stream<Path> files = Files.list(folder.resolve("job/sluice"))) {
      assertThat(files.map(file -> String.valueOf(file.getFileName())))
          .containsExactlyInAnyOrder("placement-0", ".placement-0.crc");
    }
  }

  @Test
  void remembersWhenTheLeaseWasRenewed() throws IOException {
    log.append(0, placement(1));
    PlacementLog.Version first = Objects.requireNonNull(log.newest());
    log.renewed(first, first.renewedMillis() + 3_600_000);

    assertThat(Objects.requireNonNull(log.newest()).renewedMillis())
        .isEqualTo(first.renewedMillis() + 3_600_000);
  }

  @Test
  void aTaskWithoutAStagingDirectoryIsNoTaskOfAJob() {
    assertThatThrownBy(() -> StagedPlacementLog.of(new Configuration(false)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("mapreduce.job.dir");
  }
}
