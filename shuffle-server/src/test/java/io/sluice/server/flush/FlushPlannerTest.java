package io.sluice.server.flush;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShares;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FlushPlannerTest {
  @Test
  void takesALargePartitionAlone() {
    assertThat(FlushPlanner.plan(new long[] {5, 5, 12, 5, 5}, 10, true))
        .isEqualTo(new FlushPlanner.Range(2, 3, 12));
  }

  @Test
  void takesTheFewestNeighboursThatFillAUnit() {
    assertThat(FlushPlanner.plan(new long[] {1, 1, 1, 6, 4, 1, 5, 5, 1}, 10, true))
        .isEqualTo(new FlushPlanner.Range(3, 5, 10));
  }

  @Test
  void takesTheFullestAmongEquals() {
    assertThat(FlushPlanner.plan(new long[] {6, 6, 0, 7, 7, 0, 6, 5}, 10, true))
        .isEqualTo(new FlushPlanner.Range(3, 5, 14));
  }

  @Test
  void writesUnderfilledUnitsOnlyWhenTold() {
    long[] little = {0, 3, 0, 2, 0};
    assertThat(FlushPlanner.plan(little, 10, false)).isNull();
    assertThat(FlushPlanner.plan(little, 10, true)).isEqualTo(new FlushPlanner.Range(1, 4, 5));
    assertThat(FlushPlanner.plan(new long[3], 10, true)).isNull();
    assertThat(FlushPlanner.plan(new long[0], 10, true)).isNull();
  }

  @Property(tries = 300)
  void agreesWithTryingAllRanges(
      @ForAll @Size(max = 12) List<@IntRange(min = 0, max = 20) Integer> partitions,
      @ForAll @IntRange(min = 1, max = 40) int unit) {
    long[] bytes = partitions.stream().mapToLong(Integer::longValue).toArray();
    int fewest = Integer.MAX_VALUE;
    for (int first = 0; first < bytes.length; first++) {
      for (int end = first + 1; end <= bytes.length; end++) {
        if (Arrays.stream(bytes, first, end).sum() >= unit) {
          fewest = Math.min(fewest, end - first);
        }
      }
    }
    FlushPlanner.Range found = FlushPlanner.plan(bytes, unit, false);
    if (fewest == Integer.MAX_VALUE) {
      assertThat(found).isNull();
    } else {
      assertThat(found).isNotNull();
      assertThat(found.end() - found.first()).isEqualTo(fewest);
      assertThat(found.bytes())
          .isEqualTo(Arrays.stream(bytes, found.first(), found.end()).sum())
          .isGreaterThanOrEqualTo(unit);
    }
  }

  @Property(tries = 200)
  void findsAUnitAmongManyPagesIfThereIsOne(
      @ForAll Map<@IntRange(max = 3_000) Integer, @IntRange(min = 1, max = 20) Integer> pushed,
      @ForAll @IntRange(min = 1, max = 60) int unit,
      @ForAll boolean underfilled) {
    Shuffle shuffle = shuffle(pushed);
    long all = pushed.values().stream().mapToLong(Integer::longValue).sum();

    FlushPlanner.Range found = FlushPlanner.plan(shuffle.claimable(null), unit, underfilled);

    if (all >= unit || (underfilled && all > 0)) {
      assertThat(found).isNotNull();
      long sum =
          pushed.keySet().stream()
              .filter(number -> number >= found.first() && number < found.end())
              .mapToLong(pushed::get)
              .sum();
      assertThat(found.bytes()).isEqualTo(sum).isGreaterThanOrEqualTo(Math.min(all, unit));
      assertThat(pushed).containsKeys(found.first(), found.end() - 1);
    } else {
      assertThat(found).isNull();
    }
  }

  private static Shuffle shuffle(Map<Integer, Integer> pushed) {
    ApplicationId application = ApplicationId.of(1, 2);
    Shuffle shuffle =
        new Shuffle(
            new ShuffleKey(application, 0, 0),
            1 << 20,
            new TableShares(new TableBudget(1 << 30)).acquire(application),
            new Quotas(QuotaLimits.NONE).acquire(application));
    pushed.forEach(
        (partition, bytes) -> shuffle.partition(partition).link(new Chunk[0], 0, bytes, 0, null));
    return shuffle;
  }
}
