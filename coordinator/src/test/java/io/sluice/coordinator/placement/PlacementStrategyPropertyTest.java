package io.sluice.coordinator.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.Place;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What every strategy owes, whatever the servers are and wherever they stand. */
class PlacementStrategyPropertyTest {

  /** Servers of uneven size in zones, racks and hosts of uneven number. */
  private static List<Candidate> candidates(SplittableRandom random, int servers, long spread) {
    int zones = 1 + random.nextInt(4);
    int racks = 1 + random.nextInt(3);
    int hosts = 1 + random.nextInt(servers);
    List<Candidate> candidates = new ArrayList<>();
    Map<String, Place> places = new HashMap<>();
    for (int i = 0; i < servers; i++) {
      String host = "host-" + random.nextInt(hosts);
      // Half of the clusters say nothing of zones, or of racks.
      String zone = zones < 3 ? "" : "zone-" + random.nextInt(zones);
      String rack = racks < 2 ? "" : "rack-" + random.nextInt(racks);
      Place place = places.computeIfAbsent(host, h -> new Place(zone, rack));
      long weight = 1 + (long) ((1L << 30) * Math.pow((double) spread, random.nextDouble()));
      candidates.add(
          new Candidate(
              new ServerAddress(ServerId.of(random.nextLong(), i), 1, host, 9000), place, weight));
    }
    return candidates;
  }

  private static long count(List<Candidate> candidates, Function<Candidate, ?> by) {
    return candidates.stream().map(by).distinct().count();
  }

  @Property(tries = 1_000)
  void keepsReplicasApartAndSaysHowFar(
      @ForAll PlacementStyle style,
      @ForAll @IntRange(min = 1, max = 3) int replicas,
      @ForAll @IntRange(min = 1, max = 24) int servers,
      @ForAll @IntRange(min = 0, max = 600) int partitions,
      @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Candidate> candidates = candidates(random, servers, 1 + random.nextInt(50));
    PlacementRequest request =
        new PlacementRequest(
            partitions, replicas, seed, new PlacementRequest.Home("zone-1", random.nextLong()));
    if (servers < replicas) {
      assertThat(
              catchThrowableOfType(
                      SluiceException.class,
                      () -> PlacementStrategy.of(style).place(request, candidates))
                  .code())
          .isEqualTo(ErrorCode.NO_SERVERS);
      return;
    }

    Placement placement = PlacementStrategy.of(style).place(request, candidates).among(candidates);

    Map<ServerId, Candidate> byId =
        candidates.stream().collect(Collectors.toMap(c -> c.address().id(), c -> c));
    assertThat(placement.partitions()).isEqualTo(partitions);
    assertThat(placement.servers()).doesNotHaveDuplicates();
    // Zone-local placement keeps to a zone even if that has fewer hosts.
    List<Candidate> those =
        style == PlacementStyle.ZONE_LOCAL && partitions > 0
            ? inZonesOf(placement, candidates, byId)
            : candidates;
    boolean hosts = count(those, c -> c.address().host()) >= replicas;
    Apart nearest = Apart.ZONE;
    for (int p = 0; p < partitions; p++) {
      List<Candidate> set = new ArrayList<>();
      for (int r = 0; r < replicas; r++) {
        ServerAddress address = placement.servers().get(placement.assignment()[p * replicas + r]);
        set.add(Objects.requireNonNull(byId.get(address.id())));
      }
      assertThat(count(set, c -> c.address().id())).isEqualTo(replicas);
      if (hosts) {
        assertThat(count(set, c -> c.address().host())).isEqualTo(replicas);
      }
      for (Candidate one : set) {
        for (Candidate two : set) {
          if (!one.equals(two) && Apart.between(one, two).compareTo(nearest) < 0) {
            nearest = Apart.between(one, two);
          }
        }
      }
    }
    if (partitions > 0) {
      assertThat(placement.apart()).isEqualTo(replicas == 1 ? Apart.SINGLE : nearest);
    }
  }

  private static List<Candidate> inZonesOf(
      Placement placement, List<Candidate> candidates, Map<ServerId, Candidate> byId) {
    Set<String> zones = new HashSet<>();
    placement
        .servers()
        .forEach(server -> zones.add(Objects.requireNonNull(byId.get(server.id())).place().zone()));
    return candidates.stream().filter(one -> zones.contains(one.place().zone())).toList();
  }

  @Property(tries = 300)
  void usesAsManyZonesAndRacksAsItTakesWhereTheyAreEven(
      @ForAll @IntRange(min = 2, max = 3) int replicas,
      @ForAll @IntRange(min = 1, max = 5) int zones,
      @ForAll @IntRange(min = 1, max = 4) int racks,
      @ForAll long seed) {
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < zones * racks * 3; i++) {
      candidates.add(
          new Candidate(
              new ServerAddress(ServerId.of(7, i + 1L), 1, "host-" + i, 9000),
              new Place("zone-" + i % zones, "rack-" + i / zones % racks),
              1 << 30));
    }
    Placement placement =
        new WeightedSweep().place(new PlacementRequest(300, replicas, seed), candidates);

    Map<ServerId, Place> places =
        candidates.stream().collect(Collectors.toMap(c -> c.address().id(), Candidate::place));
    for (int p = 0; p < 300; p++) {
      Set<String> inZones = new HashSet<>();
      Set<Place> inRacks = new HashSet<>();
      for (int r = 0; r < replicas; r++) {
        ServerAddress server = placement.servers().get(placement.assignment()[p * replicas + r]);
        Place place = Objects.requireNonNull(places.get(server.id()));
        inZones.add(place.zone());
        inRacks.add(place);
      }
      assertThat(inZones).hasSize(Math.min(zones, replicas));
      assertThat(inRacks).hasSize(Math.min(zones * racks, replicas));
    }
  }

  /** Half of all copies in a zone of one small server would drown it. */
  @Property(tries = 100)
  void doesNotDrownASmallZone(@ForAll long seed) {
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      candidates.add(
          new Candidate(
              new ServerAddress(ServerId.of(7, i + 1L), 1, "host-" + i, 9000),
              new Place(i == 0 ? "small" : "large", "rack-" + i % 4),
              1 << 30));
    }
    Placement placement =
        new WeightedSweep().place(new PlacementRequest(2_000, 2, seed), candidates);

    long small =
        Arrays.stream(placement.assignment())
            .filter(server -> placement.servers().get(server).host().equals("host-0"))
            .count();
    assertThat(small).isLessThanOrEqualTo(2 * 4_000 / 20 + 2);
    assertThat(placement.among(candidates).apart()).isEqualTo(Apart.RACK);
  }

  @Property(tries = 30)
  void everyStrategyIsEvenOverManyShuffles(@ForAll PlacementStyle style, @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      candidates.add(
          new Candidate(
              new ServerAddress(ServerId.of(7, i + 1L), 1, "host-" + i, 9000),
              new Place("zone-" + i % 3, ""),
              (1L << 30) << random.nextInt(3)));
    }
    double[] copies = new double[24];
    for (int shuffle = 0; shuffle < 1_500; shuffle++) {
      Placement placement =
          PlacementStrategy.of(style)
              .place(
                  new PlacementRequest(
                      200, 1, random.nextLong(), new PlacementRequest.Home("", random.nextLong())),
                  candidates);
      for (int server : placement.assignment()) {
        copies[(int) placement.servers().get(server).id().low() - 1]++;
      }
    }
    double weight = candidates.stream().mapToDouble(Candidate::weight).sum();
    for (int i = 0; i < 24; i++) {
      double share = 1_500 * 200 * candidates.get(i).weight() / weight;
      // Packed: 4 of 24 servers a shuffle, so a small one is drawn some 110 times of 1,500.
      assertThat(copies[i] / share).isBetween(0.6, 1.5);
    }
  }

  @Property(tries = 100)
  void packedUsesFewServers(
      @ForAll @IntRange(min = 1, max = 3) int replicas,
      @ForAll @IntRange(min = 1, max = 2_000) int partitions,
      @ForAll long seed) {
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      candidates.add(
          new Candidate(
              new ServerAddress(ServerId.of(7, i + 1L), 1, "host-" + i, 9000),
              1 + new Random(seed + i).nextInt(1 << 30)));
    }
    Placement placement =
        PlacementStrategy.of(PlacementStyle.PACKED)
            .place(new PlacementRequest(partitions, replicas, seed), candidates);

    int expected = Math.max(replicas, (partitions * replicas + Packed.COPIES - 1) / Packed.COPIES);
    assertThat(placement.servers().size()).isLessThanOrEqualTo(expected);
    int[] copies = new int[placement.servers().size()];
    for (int server : placement.assignment()) {
      copies[server]++;
    }
    assertThat(Arrays.stream(copies).max().orElse(0))
        .isLessThanOrEqualTo(partitions * replicas / expected + replicas + 1);
  }

  @Property(tries = 200)
  void zoneLocalKeepsToTheZoneOfTheApplication(
      @ForAll @IntRange(min = 1, max = 3) int replicas, @ForAll long seed) {
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      candidates.add(
          new Candidate(
              new ServerAddress(ServerId.of(7, i + 1L), 1, "host-" + i, 9000),
              new Place("zone-" + i % 5, ""),
              1 << 30));
    }
    Collections.shuffle(candidates, new Random(seed));
    PlacementStrategy local = PlacementStrategy.of(PlacementStyle.ZONE_LOCAL);

    assertThat(zones(local, new PlacementRequest.Home("zone-3", seed), replicas, candidates))
        .containsExactly("zone-3");
    // One that does not say, or is nowhere near: any zone, but the same for all its shuffles.
    assertThat(zones(local, new PlacementRequest.Home("", seed), replicas, candidates)).hasSize(1);
    assertThat(zones(local, new PlacementRequest.Home("mars", seed), replicas, candidates))
        .hasSize(1);
    // A zone with too few servers for a set is none.
    List<Candidate> few =
        candidates.stream()
            .filter(one -> !one.place().zone().equals("zone-3") || one.address().id().low() == 4)
            .toList();
    Set<String> zones = zones(local, new PlacementRequest.Home("zone-3", seed), replicas, few);
    assertThat(zones).hasSize(1);
    assertThat(zones.contains("zone-3")).isEqualTo(replicas == 1);
  }

  private static Set<String> zones(
      PlacementStrategy strategy,
      PlacementRequest.Home home,
      int replicas,
      List<Candidate> candidates) {
    Map<ServerId, Place> places =
        candidates.stream().collect(Collectors.toMap(c -> c.address().id(), Candidate::place));
    Set<String> zones = new HashSet<>();
    for (int shuffle = 0; shuffle < 5; shuffle++) {
      strategy
          .place(new PlacementRequest(50, replicas, shuffle, home), candidates)
          .servers()
          .forEach(server -> zones.add(Objects.requireNonNull(places.get(server.id())).zone()));
    }
    return zones;
  }
}
