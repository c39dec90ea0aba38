package io.sluice.mapreduce.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class MapRangesPropertyTest {
  @Property
  void rangesCoverAllMapsInOrderWithoutOverlap(
      @ForAll Set<@IntRange(max = 500) Integer> maps,
      @ForAll @IntRange(min = 1, max = 9) int most) {
    BitSet set = new BitSet();
    maps.forEach(set::set);

    List<MapRanges.Range> ranges = MapRanges.of(set, most);

    int before = -1;
    int covered = 0;
    int length = 0;
    for (MapRanges.Range range : ranges) {
      assertThat(range.first).isGreaterThan(before);
      assertThat(set.get(range.first)).isTrue();
      assertThat(set.get(range.end - 1)).isTrue();
      covered += set.get(range.first, range.end).cardinality();
      before = range.end;
      length += range.end - range.first;
    }
    assertThat(length - covered).as("maps bridged").isLessThanOrEqualTo(set.cardinality());
    assertThat(covered).isEqualTo(set.cardinality());
  }

  @Example
  void theSmallestGapsAreAskedForToo() {
    BitSet set = new BitSet();
    set.set(0, 10);
    set.set(11);
    set.set(50);
    set.set(53);

    assertThat(MapRanges.of(set, 2))
        .extracting(range -> range.first + "-" + range.end)
        .containsExactly("0-12", "50-54");
    assertThat(MapRanges.of(set, 1)).as("rather one more than 38 that nobody wants").hasSize(2);
  }
}
