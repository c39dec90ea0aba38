package io.sluice.client.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.FixedPlacement;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** The compact tracker against one that remembers every block. */
class CompletenessPropertyTest {
  private record Pair(int map, int partition) {}

  private record Arrival(int position, Pair pair, int sequence, boolean last) {}

  private static final int FIRST = 3;
  // Four words of bits: maps with up to three partitions are kept as lists.
  private static final int END = 103;
  private static final int FIRST_MAP = 1;
  private static final int END_MAP = 9;

  @Property(tries = 500)
  void agreesWithANaiveModel(@ForAll long seed) {
    Random random = new Random(seed);
    ArrayExpectedMaps.Builder builder = ArrayExpectedMaps.builder(FIRST, END);
    Map<Pair, Integer> blocksOf = new TreeMap<>(PAIRS);
    List<Arrival> arrivals = new ArrayList<>();
    List<Integer> maps = new ArrayList<>(List.of(0, 1, 2, 5, 7, 8, 9));
    Collections.shuffle(maps, random);
    for (int map : maps) {
      int position = builder.add(map, map * 10L);
      for (int partition : partitions(random)) {
        builder.nonEmpty(position, partition);
        Pair pair = new Pair(map, partition);
        int blocks = 1 + random.nextInt(random.nextInt(4) + 1);
        if (map >= FIRST_MAP && map < END_MAP) {
          blocksOf.put(pair, blocks);
          for (int i = 0; i < blocks; i++) {
            arrivals.add(new Arrival(position, pair, i, i == blocks - 1));
          }
        }
      }
    }
    arrivals.addAll(arrivals.subList(0, arrivals.size() / 3));
    Collections.shuffle(arrivals, random);
    Completeness completeness = new Completeness(scope(builder.build()));

    Map<Pair, Set<Integer>> seen = new TreeMap<>(PAIRS);
    check(completeness, blocksOf, seen);
    for (Arrival arrival : arrivals) {
      boolean isNew =
          seen.computeIfAbsent(arrival.pair, key -> new HashSet<>()).add(arrival.sequence);
      assertThat(
              completeness.add(
                  arrival.position, arrival.pair.partition, arrival.sequence, arrival.last))
          .isEqualTo(isNew);
      check(completeness, blocksOf, seen);
    }
    assertThat(completeness.isComplete()).isTrue();
  }

  /** None, one, few or many: maps are kept in other ways then. */
  private static Set<Integer> partitions(Random random) {
    int many = List.of(0, 1, 2, 3, 8).get(random.nextInt(5));
    Set<Integer> partitions = new TreeSet<>();
    for (int i = 0; i < many; i++) {
      partitions.add(FIRST + random.nextInt(END - FIRST));
    }
    return partitions;
  }

  private static void check(
      Completeness completeness, Map<Pair, Integer> blocksOf, Map<Pair, Set<Integer>> seen) {
    Map<Integer, Integer> missing = new TreeMap<>();
    Set<Integer> incomplete = new HashSet<>();
    blocksOf.forEach(
        (pair, blocks) -> {
          if (seen.getOrDefault(pair, Set.of()).size() < blocks) {
            missing.putIfAbsent(pair.map, pair.partition);
            incomplete.add(pair.partition);
          }
        });
    assertThat(completeness.isComplete()).isEqualTo(missing.isEmpty());
    for (int partition = FIRST; partition < END; partition++) {
      assertThat(completeness.isIncomplete(partition)).isEqualTo(incomplete.contains(partition));
    }
    Map<Integer, Integer> reported = new TreeMap<>();
    for (MissingMap map : completeness.missing()) {
      assertThat(reported.put(map.mapIndex(), map.partition())).as("named twice").isNull();
      assertThat(map.attemptId()).isEqualTo(map.mapIndex() * 10L);
      Set<Integer> got = seen.getOrDefault(new Pair(map.mapIndex(), map.partition()), Set.of());
      assertThat(got).doesNotContain(completeness.firstAbsent(map));
    }
    assertThat(reported).isEqualTo(missing);
  }

  private static final java.util.Comparator<Pair> PAIRS =
      java.util.Comparator.comparingInt(Pair::map).thenComparingInt(Pair::partition);

  private static ReadScope scope(ArrayExpectedMaps expected) {
    PlacedServer server = new PlacedServer(ServerId.of(1, 1), 1, "a", 1);
    FixedPlacement placement =
        FixedPlacement.of(
            new ShuffleKey(ApplicationId.of(1, 2), 0, 0), END, List.of(server), 1, new int[END]);
    return new ReadScope(placement, FIRST, END, FIRST_MAP, END_MAP, expected);
  }
}
