package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Blocks for which a server has no room, or of a partition that is large there. */
class NoRoomTest extends MoveFixture {
  @Test
  void movesWhatWaitsForCreditThatIsRefused() throws InterruptedException {
    first.seedCredit = 4096;
    first.refuseWants = ErrorCode.NO_MEMORY;
    write(0);
    assertComplaint(first, ErrorCode.NO_MEMORY);
    assertReadable(1, 0);
  }

  @Test
  void waitsForMemoryWhereNoOtherCanTakeTheBlocks() throws InterruptedException {
    driver.refuses = true;
    first.seedCredit = 4096;
    first.refuseWants = ErrorCode.NO_MEMORY;
    cluster.loop.schedule(seconds(100), () -> first.refuseWants = null);
    write(0);
    assertThat(cluster.loop.now()).isBetween(seconds(100), seconds(106));
    assertReadable(1, 0);
  }

  @Test
  void waitsForMemoryUntilTheBlockDeadlineAndNoLonger() {
    driver.refuses = true;
    first.seedCredit = 4096;
    first.refuseWants = ErrorCode.NO_MEMORY;
    assertCode(() -> write(0), ErrorCode.NO_MEMORY).hasMessageContaining(first.placed().toString());
    assertThat(cluster.loop.now()).isBetween(seconds(120), seconds(126));
  }

  @Test
  void saysAfterHalfOfTheBlockDeadlineThatThereHasBeenNoRoomForLong() {
    driver.refuses = true;
    first.seedCredit = 4096;
    first.refuseWants = ErrorCode.NO_MEMORY;
    assertCode(() -> write(0), ErrorCode.NO_MEMORY);
    assertThat(driver.asked.get(0)).singleElement().matches(Complaint::isOfRoom);
    List<Complaint> last = driver.asked.get(driver.asked.size() - 1);
    assertThat(last).singleElement().matches(complaint -> !complaint.isOfRoom());
    assertThat(last.get(0).server()).isEqualTo(first.placed());
  }

  @Test
  void movesOnlyAPartitionThatIsTooLarge() throws InterruptedException {
    first.judge = block -> block.partition() == 0 ? ErrorCode.PARTITION_FULL : null;
    write(0);
    assertThat(driver.asked).hasSize(1);
    Complaint complaint = driver.asked.get(0).get(0);
    assertThat(complaint.partitions()).containsExactly(0);
    FixedPlacement now = driver.placement();
    assertThat(now.nextNamed(1, 0)).isZero();
    assertThat(now.nextNamed(1, 1)).isEqualTo(PARTITIONS);
    assertThat(first.blocks(cluster.shuffle, 3)).as("its other partition").isNotEmpty();
    assertReadable(1, 0);
  }

  @Test
  void comesBackWithAPartitionThatNobodyElseTakes() throws InterruptedException {
    driver.refuses = true;
    int[] told = {0};
    first.judge =
        block -> block.partition() == 0 && told[0]++ == 0 ? ErrorCode.PARTITION_FULL : null;
    write(0);
    assertThat(told[0]).as("blocks that came").isEqualTo(2);
    assertReadable(1, 0);
  }

  @Test
  void failsWithTheRefusalWhereNoOtherCanTakeTheBlocks() {
    driver.refuses = true;
    first.judge = block -> ErrorCode.NO_DISK_SPACE;
    assertCode(() -> write(0), ErrorCode.NO_DISK_SPACE)
        .hasMessageContaining(first.placed().toString());
  }

  @Test
  void neverHoldsMoreThanItsShareOfMemoryWhileItMoves() throws InterruptedException {
    first.seedCredit = 4096;
    first.grantable = 0;
    long most = 0;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      for (int i = 0; i < 200; i++) {
        push(output, i % PARTITIONS, 0);
        most = Math.max(most, cluster.activeBytes());
        if (i == 60) {
          first.up = false;
          first.dropConnections();
        }
      }
      output.finish();
    }
    assertThat(most).isLessThanOrEqualTo(256 * 1024 + 64 * 1024);
    assertThat(driver.placement().epochs()).isEqualTo(2);
  }
}
