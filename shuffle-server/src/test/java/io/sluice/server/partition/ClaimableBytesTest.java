package io.sluice.server.partition;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShares;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ClaimableBytesTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);

  private final TableBudget tables = new TableBudget(1 << 20);
  private final Shuffle shuffle =
      new Shuffle(
          new ShuffleKey(APPLICATION, 0, 0),
          1 << 20,
          new TableShares(tables).acquire(APPLICATION),
          new Quotas(QuotaLimits.NONE).acquire(APPLICATION));

  @Test
  void namesEachPartitionWithItsBytes() {
    List<Integer> numbers = List.of(0, 1, 255, 256, 5_000, Shuffle.MAX_PARTITIONS - 1);
    numbers.forEach(number -> push(number, number + 1));

    Map<Integer, Long> found = new HashMap<>();
    ClaimableBytes claimable = shuffle.claimable(null);
    long[] bytes = claimable.partitions(0, claimable.pages().length);
    for (int place = 0; place < bytes.length; place++) {
      if (bytes[place] > 0) {
        found.put(claimable.partition(0, place), bytes[place]);
      }
    }

    assertThat(found.keySet()).containsExactlyInAnyOrderElementsOf(numbers);
    found.forEach((number, each) -> assertThat(each).isEqualTo(number + 1));
    assertThat(LongStream.of(claimable.pages()).sum()).isEqualTo(LongStream.of(bytes).sum());
  }

  @Test
  void namesThePartitionsOfLaterPages() {
    push(3, 10);
    push(900_000, 20);

    ClaimableBytes claimable = shuffle.claimable(null);
    long[] second = claimable.partitions(1, 2);

    assertThat(claimable.pages()).containsExactly(10, 20);
    assertThat(second).contains(20).doesNotContain(10);
    assertThat(claimable.partition(1, 900_000 % PartitionPage.SIZE)).isEqualTo(900_000);
  }

  @Test
  void countsOnlyWhatIsWanted() {
    push(3, 10);
    push(4, 20);

    ClaimableBytes claimable = shuffle.claimable(partition -> partition.partition() == 4);

    assertThat(claimable.pages()).containsExactly(20);
    assertThat(claimable.partitions(0, 1)[3]).isZero();
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
    push(3, 10);
    PartitionBuffer partition = shuffle.partition(3);
    MemoryRun run = requireNonNull(partition.claim(100));
    assertThat(shuffle.claimable(null).pages()).containsExactly(0);

    partition.unclaim(run);
    assertThat(shuffle.claimable(null).pages()).containsExactly(10);
    run.release();
  }

  private void push(int partition, int bytes) {
    assertThat(shuffle.partition(partition).link(new Chunk[0], 0, bytes, 7, null)).isTrue();
  }
}
