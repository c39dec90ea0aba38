package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class PageSorterPropertyTest {
  @Property
  void sortsLikeAStableSortByPartition(
      @ForAll @IntRange(min = 1, max = 300) int partitions,
      @ForAll("addresses") List<Long> addresses,
      @ForAll int salt) {
    long[] entries = new long[addresses.size() + 3];
    for (int i = 0; i < addresses.size(); i++) {
      entries[i] =
          PageSorter.entry(
              Math.floorMod(Long.hashCode(i * 31L + salt), partitions), addresses.get(i));
    }
    int count = addresses.size();
    long[] sorted = new long[count + 5];
    PageSorter sorter = new PageSorter(partitions);

    sorter.sort(entries, count, sorted);

    List<Long> expected =
        Arrays.stream(entries, 0, count)
            .boxed()
            .sorted(Comparator.comparing(entry -> entry >>> PageSorter.ADDRESS_BITS))
            .collect(Collectors.toList());
    assertThat(Arrays.stream(sorted, 0, count).boxed()).isEqualTo(expected);
    assertRangesMatch(sorter, partitions, sorted, count);
  }

  private static void assertRangesMatch(
      PageSorter sorter, int partitions, long[] sorted, int count) {
    int at = 0;
    for (int partition = 0; partition < partitions; partition++) {
      assertThat(sorter.begin(partition)).isEqualTo(at);
      for (; at < sorter.end(partition); at++) {
        assertThat(sorted[at] >>> PageSorter.ADDRESS_BITS).isEqualTo(partition);
      }
    }
    assertThat(at).isEqualTo(count);
  }

  @Provide
  Arbitrary<List<Long>> addresses() {
    return Arbitraries.longs().between(0, PageSorter.ADDRESS_MASK).list().ofMaxSize(500);
  }

  @Property(tries = 20)
  void keepsTheHighestPartitionAndAddressApart(@ForAll @IntRange(min = 0, max = 3) int below) {
    int partition = PageSorter.MAX_PARTITIONS - 1 - below;
    long entry = PageSorter.entry(partition, PageSorter.ADDRESS_MASK);
    assertThat((int) (entry >>> PageSorter.ADDRESS_BITS)).isEqualTo(partition);
    assertThat(entry & PageSorter.ADDRESS_MASK).isEqualTo(PageSorter.ADDRESS_MASK);
  }
}
