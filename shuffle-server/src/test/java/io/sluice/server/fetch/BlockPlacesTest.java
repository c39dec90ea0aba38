package io.sluice.server.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShares;
import io.sluice.server.segment.Extent;
import io.sluice.transport.DamagedBlock;
import org.junit.jupiter.api.Test;

class BlockPlacesTest {
  private static final ShuffleKey KEY = new ShuffleKey(ApplicationId.of(1, 2), 3, 0);

  private final Shuffle shuffle =
      new Shuffle(
          KEY,
          1 << 20,
          new TableShares(new TableBudget(1 << 20)).acquire(KEY.application()),
          new Quotas(QuotaLimits.NONE).acquire(KEY.application()));

  private static DamagedBlock block(int partition, int map) {
    return new DamagedBlock(KEY, partition, map, 9, 0);
  }

  private void store(long segment, int firstMap, int lastMap) {
    Extent extent = new Extent(4, segment, 4096, 777, 1, firstMap, lastMap, new int[0], new int[0]);
    shuffle.partition(4).recovered(new StoredExtent(new NamedStore("nvme0"), extent));
  }

  @Test
  void namesTheSegmentsThatHoldTheMap() {
    store(0xAB, 0, 9);
    store(0xCD, 10, 19);
    assertThat(BlockPlaces.of(block(4, 12), shuffle))
        .isEqualTo("nvme0 segment 00000000000000cd at 4096, 777 bytes of maps 10 to 19");
  }

  @Test
  void namesAllOfThePartitionWhereTheMapIsNotKnown() {
    store(0xAB, 0, 9);
    store(0xCD, 10, 19);
    assertThat(BlockPlaces.of(DamagedBlock.ofPartition(KEY, 4), shuffle)).contains("00ab", "00cd");
  }

  @Test
  void takesAnyNumberThatAPeerMaySay() {
    store(0xAB, 0, 9);
    assertThat(BlockPlaces.of(block(-7, 0), shuffle)).startsWith("no place");
    assertThat(BlockPlaces.of(block(Integer.MAX_VALUE, 0), shuffle)).startsWith("no place");
    assertThat(BlockPlaces.of(block(4, Integer.MAX_VALUE), shuffle)).contains("00ab");
    assertThat(BlockPlaces.of(block(5, 0), shuffle)).startsWith("no place");
    assertThat(BlockPlaces.of(block(4, 100), shuffle)).startsWith("no place");
    assertThat(BlockPlaces.of(block(4, 0), null)).startsWith("no place");
  }
}
