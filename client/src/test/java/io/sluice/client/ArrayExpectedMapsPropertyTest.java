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
    for (int position = 0; position < maps.size(); position++) {
      assertThat(expected.mapIndex(position)).isEqualTo(maps.get(position));
      assertThat(expected.attemptId(position)).isEqualTo(maps.get(position) * 7L - 3);
      for (int partition = 0; partition < end + 2; partition++) {
        assertThat(expected.nonEmpty(position, partition))
            .isEqualTo(cells.contains(new Cell(position, partition)));
      }
    }
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
  }
}
