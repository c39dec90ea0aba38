package io.sluice.server.partition;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClaimableBytesTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);

  private final TableBudget tables = new TableBudget(1 << 20);
  private final Shuffle shuffle =
      new Shuffle(
          new ShuffleKey(APPLICATION, 0, 0),
          1 << 20,
          tables,
          new Quotas(QuotaLimits.NONE).of(APPLICATION));

  @Test
  void namesEachPartitionWithItsBytes() {
    List<Integer> numbers = List.of(0, 1, 255, 256, 5_000, Shuffle.MAX_PARTITIONS - 1);
    for (int number : numbers) {
      PartitionBuffer partition = shuffle.partition(number);
      assertThat(partition.link(new ReceivedBlock(new Chunk[0], 7, number + 1))).isTrue();
    }

    Map<Integer, Integer> found = new HashMap<>();
    ClaimableBytes claimable = shuffle.claimable();
    for (int place = 0; place < claimable.bytes().length; place++) {
      if (claimable.bytes()[place] > 0) {
        found.put(claimable.partition(place), claimable.bytes()[place]);
      }
    }

    assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(numbers);
    found.forEach((number, bytes) -> assertThat(bytes).isEqualTo(number + 1));
  }

  @Test
  void isSmallForFewPartitionsWithLargeNumbers() {
    shuffle.partition(3);
    shuffle.partition(900_000);

    assertThat(shuffle.claimable().bytes()).hasSize(2 * PartitionPage.SIZE);
  }

  @Test
  void chargesItsTablesUntilItIsRemoved() {
    shuffle.partition(3);
    shuffle.partition(900_000);
    assertThat(tables.used()).isGreaterThan(2L * PartitionPage.HEAP_BYTES);

    shuffle.remove();
    assertThat(tables.used()).isZero();
  }

  @Test
  void hasNothingOfAClaimedRun() {
    PartitionBuffer partition = shuffle.partition(3);
    partition.link(new ReceivedBlock(new Chunk[0], 7, 10));
    MemoryRun run = requireNonNull(partition.claim(100));
    assertThat(shuffle.claimable().bytes()).containsOnly(0);

    partition.unclaim(run);
    assertThat(shuffle.claimable().bytes()[3]).isEqualTo(10);
    run.release();
  }
}
