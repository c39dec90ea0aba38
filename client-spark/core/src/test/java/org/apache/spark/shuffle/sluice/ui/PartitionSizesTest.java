package org.apache.spark.shuffle.sluice.ui;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.junit.jupiter.api.Test;

class PartitionSizesTest {
  @Test
  void knowsMedianQuantilesAndTheLargest() {
    long[] bytes = new long[1001];
    Arrays.setAll(bytes, i -> i);
    PartitionSizes sizes = PartitionSizes.of(bytes, 3, 3);

    assertThat(sizes.quantiles()).containsExactly(0, 250, 500, 750, 950, 990, 1000);
    assertThat(sizes.median()).isEqualTo(500);
    assertThat(sizes.max()).isEqualTo(1000);
    assertThat(sizes.skew()).isEqualTo(2.0);
    assertThat(sizes.empty()).isEqualTo(1);
    assertThat(sizes.total()).isEqualTo(500_500);
    assertThat(sizes.isSample()).isFalse();
    assertThat(sizes.largest()).containsExactly(1000, 999, 998, 997, 996, 995, 994, 993, 992, 991);
    assertThat(sizes.largestBytes()[0]).isEqualTo(1000);
  }

  @Test
  void ofEqualPartitionsTheFirstAreShown() {
    assertThat(PartitionSizes.of(new long[] {5, 7, 7, 5}, 1, 1).largest())
        .containsExactly(1, 2, 0, 3);
  }

  @Test
  void hasNoSkewWhereHalfIsEmpty() {
    assertThat(PartitionSizes.of(new long[] {0, 0, 0, 9}, 1, 1).skew()).isNaN();
    assertThat(PartitionSizes.of(new long[] {4}, 1, 1).skew()).isEqualTo(1.0);
  }

  @Test
  void addsUpTheMapsThatHaveEnded() {
    MapStatus[] statuses = {status(0, 1, 0, 3), null, status(2, 10, 0, 0)};
    MapStatus[] chosen = PartitionSizes.chosen(statuses, 3, 1_000);
    assertThat(chosen).hasSize(2);
    assertThat(PartitionSizes.known(statuses)).isEqualTo(2);
    assertThat(PartitionSizes.sum(chosen, 2, 3)).containsExactly(11, 0, 3);
  }

  @Test
  void looksAtSomeOfManyMapsAndScales() {
    MapStatus[] statuses =
        IntStream.range(0, 1_000)
            .mapToObj(map -> status(map, 10, map % 2 == 0 ? 20 : 0, 0, 0))
            .toArray(MapStatus[]::new);
    MapStatus[] chosen = PartitionSizes.chosen(statuses, 4, 400);
    assertThat(chosen).hasSize(100).doesNotHaveDuplicates();
    assertThat(chosen[0]).isSameAs(statuses[0]);
    assertThat(chosen[99]).isSameAs(statuses[990]);
    long[] sizes = PartitionSizes.sum(PartitionSizes.chosen(statuses, 4, 4 * 333), 1_000, 4);
    assertThat(sizes[0]).isEqualTo(10_000);
    assertThat((double) sizes[1]).as("statuses round").isCloseTo(10_000, within(1_000.0));
    assertThat(sizes[3]).isZero();
  }

  @Test
  void looksAtEightMapsHoweverManyPartitionsThereAre() {
    MapStatus[] statuses =
        IntStream.range(0, 100).mapToObj(map -> status(map, 1, 1)).toArray(MapStatus[]::new);
    assertThat(PartitionSizes.chosen(statuses, 1_000_000, PartitionSizes.LOOKUPS_MAX)).hasSize(8);
  }

  private static MapStatus status(int map, long... sizes) {
    return MapStatus$.MODULE$.apply(MapLocation.of(0, map, map, 0, 0), sizes, map);
  }
}
