package io.sluice.coordinator.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.coordinator.membership.DiskLoad;
import io.sluice.coordinator.membership.ServerLoad;
import io.sluice.coordinator.testing.Servers;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WeightedSweepTest {
  private final WeightedSweep strategy = new WeightedSweep();

  private static List<Candidate> equal(int servers) {
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 1; i <= servers; i++) {
      candidates.add(new Candidate(Servers.address(i, 1), 1 << 30));
    }
    return candidates;
  }

  @Test
  void keepsNeighboursTogetherAndWavesApart() {
    Placement placement = strategy.place(new PlacementRequest(20_000, 1, 1), equal(100));

    int[] servers = placement.assignment();
    long changes = 0;
    for (int p = 1; p < servers.length; p++) {
      changes += servers[p] == servers[p - 1] ? 0 : 1;
    }
    // Runs of 8, some of them across the border of two servers.
    assertThat(changes).isBetween(2_000L, 3_000L);
    // 400 reducers that start together read from at least 40 of 100 servers.
    Set<Integer> wave = new HashSet<>();
    Arrays.stream(servers, 0, 400).forEach(wave::add);
    assertThat(wave).hasSizeGreaterThanOrEqualTo(40);
  }

  @Test
  void spreadsManyTinyShufflesOverAllServers() {
    int[] count = new int[11];
    for (int shuffle = 0; shuffle < 10_000; shuffle++) {
      Placement placement = strategy.place(new PlacementRequest(1, 1, shuffle), equal(10));
      count[(int) placement.servers().get(0).id().low()]++;
    }

    assertThat(Arrays.stream(count, 1, 11)).allMatch(c -> c >= 850 && c <= 1_150);
  }

  @Test
  void namesOnlyServersThatHoldSomething() {
    Placement placement = strategy.place(new PlacementRequest(3, 1, 5), equal(50));

    assertThat(placement.servers()).hasSize(3);
    assertThat(placement.assignment()).containsOnly(0, 1, 2);
  }

  @Test
  void placesNothingNowhere() {
    Placement placement = strategy.place(new PlacementRequest(0, 1, 5), equal(2));

    assertThat(placement.servers()).isEmpty();
    assertThat(placement.partitions()).isZero();
  }

  @Test
  void refusesMoreReplicasThanServers() {
    assertThatThrownBy(() -> strategy.place(new PlacementRequest(4, 3, 1), equal(2)))
        .hasMessageContaining("NO_SERVERS");
  }

  @Test
  void countsFreeMemoryFirstAndDisksAtADiscount() {
    long gib = 1L << 30;
    ServerLoad.Traffic idle = new ServerLoad.Traffic(0, 0, 0, 0, 0);
    ServerLoad.Memory half = new ServerLoad.Memory(2 * gib, gib);
    DiskLoad disk = new DiskLoad("/d", 100 * gib, 37 * gib, true);
    DiskLoad broken = new DiskLoad("/e", 100 * gib, 37 * gib, false);
    DiskLoad full = new DiskLoad("/f", 100 * gib, 4 * gib, true);

    assertThat(FreeCapacity.of(new ServerLoad(half, List.of(), idle))).isEqualTo(gib);
    assertThat(FreeCapacity.of(new ServerLoad(half, List.of(disk, broken, full), idle)))
        .isEqualTo(gib + 2 * gib);
    assertThat(FreeCapacity.of(ServerLoad.UNKNOWN)).isZero();
  }

  @Test
  void countsAFileSystemOnceHoweverManyDirectoriesLieOnIt() {
    long gib = 1L << 30;
    List<DiskLoad> disks =
        List.of(
            new DiskLoad("/d/1", 100 * gib, 37 * gib, false, "device 7"),
            new DiskLoad("/d/2", 100 * gib, 37 * gib, true, "device 7"),
            new DiskLoad("/d/3", 100 * gib, 37 * gib, true, "device 7"),
            new DiskLoad("/e", 100 * gib, 37 * gib, true, "device 8"));
    ServerLoad load =
        new ServerLoad(
            new ServerLoad.Memory(gib, gib), disks, new ServerLoad.Traffic(0, 0, 0, 0, 0));
    assertThat(FreeCapacity.of(load)).isEqualTo(4 * gib);
  }

  @Test
  void countsHostileFiguresAsNothing() {
    ServerLoad.Traffic idle = new ServerLoad.Traffic(0, 0, 0, 0, 0);
    DiskLoad impossible = new DiskLoad("/d", 100, Long.MAX_VALUE, true);

    assertThat(FreeCapacity.of(new ServerLoad(new ServerLoad.Memory(-1, 5), List.of(), idle)))
        .isZero();
    assertThat(FreeCapacity.of(new ServerLoad(new ServerLoad.Memory(5, -1), List.of(), idle)))
        .isZero();
    assertThat(
            FreeCapacity.of(
                new ServerLoad(
                    new ServerLoad.Memory(Long.MAX_VALUE, 0), List.of(impossible), idle)))
        .isPositive();
  }
}
