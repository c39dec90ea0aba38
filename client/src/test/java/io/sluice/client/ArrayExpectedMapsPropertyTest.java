package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class ArrayExpectedMapsPropertyTest {
  private record Cell(int position, int partition) {}

  @Property(tries = 300)
  void remembersWhatWasAdded(@ForAll long seed, @ForAll boolean dense) {
    Random random = new Random(seed);
    int first = random.nextInt(5);
    int end = first + 1 + random.nextInt(100);
    int base = random.nextInt(10);
    List<Integer> maps = new ArrayList<>();
    for (int i = 0; i < random.nextInt(60); i++) {
      maps.add(dense ? base + i : base + i * 3);
    }
    if (!dense) {
      Collections.shuffle(maps, random);
    }
    ArrayExpectedMaps.Builder builder = ArrayExpectedMaps.builder(first, end);
    Set<Cell> cells = new HashSet<>();
    for (int map : maps) {
      int position = builder.add(map, map * 7L - 3);
      for (int i = 0; i < random.nextInt(20); i++) {
        int partition = first + random.nextInt(end - first);
        builder.nonEmpty(position, partition);
        cells.add(new Cell(position, partition));
      }
    }
    ArrayExpectedMaps expected = builder.build();
    assertThat(expected.size()).isEqualTo(maps.size());
    for (int map = 0; map < 250; map++) {
      assertThat(expected.positionOf(map)).isEqualTo(maps.indexOf(map));
    }
    assertThat(expected.positionOf(-1)).isEqualTo(-1);
    Set<Long> numbers = new HashSet<>();
    for (int position = 0; position < maps.size(); position++) {
      assertThat(expected.mapIndex(position)).isEqualTo(maps.get(position));
      assertThat(expected.attemptId(position)).isEqualTo(maps.get(position) * 7L - 3);
      for (int partition = 0; partition < end + 2; partition++) {
        boolean there = cells.contains(new Cell(position, partition));
        assertThat(expected.nonEmpty(position, partition)).isEqualTo(there);
        if (there) {
          assertThat(expected.pair(position, partition)).isBetween(0L, expected.pairs() - 1);
          assertThat(numbers.add(expected.pair(position, partition))).isTrue();
        }
      }
      assertThat(walked(expected, position))
          .containsExactlyElementsOf(
              cells.stream().filter(ofRow(position)).map(Cell::partition).sorted().toList());
    }
  }

  private static Predicate<Cell> ofRow(int position) {
    return cell -> cell.position == position;
  }

  private static List<Integer> walked(ExpectedMaps expected, int position) {
    List<Integer> partitions = new ArrayList<>();
    int partition = expected.nextNonEmpty(position, 0);
    while (partition >= 0) {
      partitions.add(partition);
      partition = expected.nextNonEmpty(position, partition + 1);
    }
    return partitions;
  }

  /** As when 100,000 partitions of hardly anything are read by one task: 125 MB as plain bits. */
  @Example
  void aWideRangeOfFewRecordsTakesNoMoreThanTheseNeed() {
    int partitions = 100_000;
    int maps = 10_000;
    int each = 10;
    ArrayExpectedMaps.Builder builder = ArrayExpectedMaps.builder(0, partitions);
    for (int map = 0; map < maps; map++) {
      int position = builder.add(map, map);
      for (int i = 0; i < each; i++) {
        builder.nonEmpty(position, (map + i * 9_973) % partitions);
      }
    }
    ArrayExpectedMaps expected = builder.build();
    assertThat(expected.pairs() / Byte.SIZE).isEqualTo(4L * maps * each);
    for (int map = 0; map < maps; map += 999) {
      assertThat(walked(expected, map)).hasSize(each).contains((map + 9_973) % partitions);
    }
  }

  @Example
  void aRangeFullOfRecordsTakesABitForEach() {
    ArrayExpectedMaps.Builder builder = ArrayExpectedMaps.builder(0, 3_200);
    for (int map = 0; map < 50; map++) {
      int position = builder.add(map, map);
      for (int partition = map % 2; partition < 3_200; partition += 2) {
        builder.nonEmpty(position, partition);
      }
    }
    assertThat(builder.build().pairs()).isEqualTo(50 * 3_200);
  }

  @Example
  void refusesAMapTwiceAndPartitionsOutsideTheWindow() {
    ArrayExpectedMaps.Builder twice = ArrayExpectedMaps.builder(0, 1);
    twice.add(4, 1);
    twice.add(4, 2);
    assertThatThrownBy(twice::build).isInstanceOf(SluiceException.class);
    ArrayExpectedMaps.Builder window = ArrayExpectedMaps.builder(2, 4);
    int position = window.add(0, 1);
    assertThatThrownBy(() -> window.nonEmpty(position, 4)).isInstanceOf(SluiceException.class);
    assertThatThrownBy(() -> window.nonEmpty(position + 1, 3)).isInstanceOf(SluiceException.class);
    window.add(1, 1);
    assertThatThrownBy(() -> window.nonEmpty(position, 3)).isInstanceOf(SluiceException.class);
  }
}
