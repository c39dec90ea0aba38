package io.sluice.client.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.ExpectedMaps;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is asked for again, and how much of it at a time. */
class SetAsideTest {
  private final SetAside setAside = new SetAside();
  private final ExpectedMaps expected = expected(0, 1, 2, 4, 7, 8);

  /** All of them have something in both partitions. */
  private static ExpectedMaps expected(int... maps) {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 2);
    for (int map : maps) {
      int position = expected.add(map, map);
      expected.nonEmpty(position, 0).nonEmpty(position, 1);
    }
    return expected.build();
  }

  private void chain(int partition, int map, int bytes) {
    setAside.add(partition, map, 0, bytes - bytes / 2, true);
    setAside.add(partition, map, 1, bytes / 2, false);
  }

  private List<Integer> next(long maxBytes) {
    return setAside.next(maxBytes, expected).stream().map(SetAsideMap::mapIndex).toList();
  }

  @Test
  void neighboursAreAskedForTogetherAsFarAsThereIsRoom() {
    chain(0, 2, 100);
    chain(0, 0, 100);
    chain(0, 1, 100);
    assertThat(next(300)).containsExactly(0, 1, 2);
    assertThat(next(299)).containsExactly(0, 1);
    assertThat(next(1)).containsExactly(0);
  }

  @Test
  void nothingIsAskedForThatIsNotWanted() {
    chain(0, 2, 100);
    chain(0, 4, 100);
    chain(0, 8, 100);
    assertThat(next(1_000)).as("there is no map 3, and one 7").containsExactly(2, 4);
  }

  @Test
  void partitionsAreAskedForOneByOne() {
    chain(1, 0, 100);
    chain(0, 2, 100);
    assertThat(next(1_000)).containsExactly(2);
    setAside.remove(setAside.next(1_000, expected));
    assertThat(next(1_000)).containsExactly(0);
    setAside.remove(setAside.next(1_000, expected));
    assertThat(setAside.isAny()).isFalse();
  }

  @Test
  void knowsChainsWhateverTheOrderTheyCameIn() {
    SetAsideMap map = new SetAsideMap(0, 3);
    map.add(40, 50, true);
    map.add(8, 10, false);
    map.add(41, 60, false);
    map.add(6, 20, true);
    map.add(7, 30, true);
    map.add(9, 70, true);
    map.add(10, 5, false);
    assertThat(map.bytes()).isEqualTo(245);
    assertThat(map.longest()).isEqualTo(110);
    assertThat(map.sequences()).isEqualTo(bits(6, 7, 8, 9, 10, 40, 41));
    assertThat(map.chainStarts()).isEqualTo(bits(6, 9, 40));
  }

  private static BitSet bits(int... numbers) {
    BitSet bits = new BitSet();
    for (int number : numbers) {
      bits.set(number);
    }
    return bits;
  }
}
