package io.sluice.server.flush;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class FlushPlannerTest {
  @Test
  void takesALargePartitionAlone() {
    assertThat(FlushPlanner.plan(new int[] {5, 5, 12, 5, 5}, 10, true))
        .isEqualTo(new FlushPlanner.Range(2, 3, 12));
  }

  @Test
  void takesTheFewestNeighboursThatFillAUnit() {
    assertThat(FlushPlanner.plan(new int[] {1, 1, 1, 6, 4, 1, 5, 5, 1}, 10, true))
        .isEqualTo(new FlushPlanner.Range(3, 5, 10));
  }

  @Test
  void takesTheFullestAmongEquals() {
    assertThat(FlushPlanner.plan(new int[] {6, 6, 0, 7, 7, 0, 6, 5}, 10, true))
        .isEqualTo(new FlushPlanner.Range(3, 5, 14));
  }

  @Test
  void writesUnderfilledUnitsOnlyWhenTold() {
    int[] little = {0, 3, 0, 2, 0};
    assertThat(FlushPlanner.plan(little, 10, false)).isNull();
    assertThat(FlushPlanner.plan(little, 10, true)).isEqualTo(new FlushPlanner.Range(1, 4, 5));
    assertThat(FlushPlanner.plan(new int[3], 10, true)).isNull();
    assertThat(FlushPlanner.plan(new int[0], 10, true)).isNull();
  }

  @Property(tries = 300)
  void agreesWithTryingAllRanges(
      @ForAll @Size(max = 12) List<@IntRange(min = 0, max = 20) Integer> partitions,
      @ForAll @IntRange(min = 1, max = 40) int unit) {
    int[] bytes = partitions.stream().mapToInt(Integer::intValue).toArray();
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
}
