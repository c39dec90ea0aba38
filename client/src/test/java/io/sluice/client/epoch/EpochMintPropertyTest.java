package io.sluice.client.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.fake.FakeLoop;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class EpochMintPropertyTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 2), 3, 0);

  @Property(tries = 300)
  void replacesWhatMustGoAndNothingElse(@ForAll long seed) {
    Random random = new Random(seed);
    int servers = 3 + random.nextInt(6);
    int replicas = 1 + random.nextInt(3);
    int partitions = 1 + random.nextInt(40);
    FixedPlacement placement = placement(random, servers, replicas, partitions);
    for (int i = 0; i < 4; i++) {
      List<PlacedServer> leave = new ArrayList<>();
      List<Complaint> complaints = new ArrayList<>();
      PlacedServer bad = server(random.nextInt(servers));
      int full = random.nextInt(partitions);
      if (random.nextBoolean()) {
        leave.add(bad);
      } else if (random.nextBoolean()) {
        complaints.add(Complaint.ofServer(bad, ErrorCode.TIMED_OUT));
      } else {
        complaints.add(Complaint.ofPartitions(bad, ErrorCode.PARTITION_FULL, new int[] {full}));
      }
      boolean one = !complaints.isEmpty() && !complaints.get(0).isOfServer();
      FixedPlacement next;
      try {
        next = EpochMint.next(placement, complaints, leave, live(servers));
      } catch (SluiceException none) {
        assertThat(none.code()).isEqualTo(ErrorCode.NO_SERVERS);
        assertThat(servers).as("servers").isEqualTo(replicas);
        return;
      }
      check(placement, next, bad, one ? full : -1, servers);
      placement = next;
    }
  }

  private static void check(
      FixedPlacement before,
      FixedPlacement after,
      PlacedServer bad,
      int onlyPartition,
      int servers) {
    Set<Integer> sizes = new HashSet<>();
    for (int p = 0; p < before.partitions(); p++) {
      List<PlacedServer> old = set(before, p);
      List<PlacedServer> now = set(after, p);
      boolean concerned = old.contains(bad) && (onlyPartition < 0 || onlyPartition == p);
      if (!concerned && now.equals(old)) {
        assertThat(after.epochOf(p, after.epochs() - 1))
            .isEqualTo(before.epochOf(p, before.epochs() - 1));
        continue;
      }
      Set<ServerId> ids = new HashSet<>();
      now.forEach(server -> ids.add(server.id()));
      assertThat(ids).as("members are different servers").hasSameSizeAs(now);
      List<PlacedServer> others = new ArrayList<>(old);
      if (concerned) {
        others.remove(bad);
        // One that is only full stays if all others are in the set already.
        assertThat(now.contains(bad)).isEqualTo(onlyPartition >= 0 && now.size() == servers);
      } else {
        assertThat(now).as("only what was small has changed").hasSizeGreaterThan(old.size());
      }
      assertThat(now.subList(0, Math.min(others.size(), now.size())))
          .as("others stay, and come first")
          .isEqualTo(others);
      sizes.add(now.size());
      // A set that has nobody to take the place is smaller, and grows again with the next epoch.
      assertThat(now).hasSizeBetween(Math.max(1, others.size()), before.replicas(0));
    }
    assertThat(after.epochs()).isEqualTo(before.epochs() + sizes.size());
  }

  /** Whatever the loads and weights: so all servers of a set's size can be read from at once. */
  @Property(tries = 100)
  void aLargePartitionGoesThroughAllServersBeforeItComesBack(@ForAll long seed) {
    Random random = new Random(seed);
    int servers = 3 + random.nextInt(6);
    int replicas = 1 + random.nextInt(2);
    FixedPlacement placement = placement(random, servers, replicas, 1 + random.nextInt(20));
    List<LiveServer> live =
        servers(0, servers).stream()
            .map(server -> new LiveServer(server, 1 + random.nextInt(1000)))
            .toList();
    int large = random.nextInt(placement.partitions());
    List<PlacedServer> first = set(placement, large);
    Set<PlacedServer> had = new HashSet<>(first);
    while (had.size() < servers) {
      Complaint full =
          Complaint.ofPartitions(
              set(placement, large).get(0), ErrorCode.PARTITION_FULL, new int[] {large});
      placement = EpochMint.next(placement, List.of(full), List.of(), live);
      List<PlacedServer> now = set(placement, large);
      assertThat(had.add(now.get(replicas - 1))).as("%s is new", now).isTrue();
    }
    PlacedServer leaves = set(placement, large).get(0);
    Complaint full = Complaint.ofPartitions(leaves, ErrorCode.PARTITION_FULL, new int[] {large});
    placement = EpochMint.next(placement, List.of(full), List.of(), live);
    assertThat(set(placement, large)).as("who had it longest ago").containsAnyElementsOf(first);
  }

  /** Copies of a partition that is spread stay apart all the same. */
  @Test
  void aLargePartitionComesBackRatherThanHaveItsCopiesOnOneHost() {
    FixedPlacement placement =
        FixedPlacement.of(SHUFFLE, 1, servers(0, 3), 2, new int[] {0, 1})
            .withEpoch(servers(0, 3), 2, new int[] {2, 1});
    PlacedServer beside = new PlacedServer(server(9).id(), 1, server(1).host(), 7009);
    List<LiveServer> live =
        List.of(
            new LiveServer(server(0), 1),
            new LiveServer(server(1), 1),
            new LiveServer(server(2), 1),
            new LiveServer(beside, 1));
    Complaint full = Complaint.ofPartitions(server(2), ErrorCode.PARTITION_FULL, new int[] {0});
    assertThat(set(EpochMint.next(placement, List.of(full), List.of(), live), 0))
        .containsExactly(server(1), server(0));
  }

  @Test
  void splitsLeaveEpochsForServersThatDie() {
    FixedPlacement placement = FixedPlacement.of(SHUFFLE, 2, servers(0, 2), 1, new int[] {0, 1});
    int splits = 0;
    while (true) {
      PlacedServer here = set(placement, 0).get(0);
      Complaint full = Complaint.ofPartitions(here, ErrorCode.PARTITION_FULL, new int[] {0});
      FixedPlacement next = EpochMint.next(placement, List.of(full), List.of(), live(2));
      if (next == placement) {
        break;
      }
      placement = next;
      splits++;
    }
    assertThat(splits).isEqualTo(767);
    Complaint dead = Complaint.ofServer(server(1), ErrorCode.CONNECT_FAILED);
    Complaint full = Complaint.ofPartitions(server(0), ErrorCode.PARTITION_FULL, new int[] {0});
    FixedPlacement next = EpochMint.next(placement, List.of(dead, full), List.of(), live(2));
    assertThat(set(next, 1)).containsExactly(server(0));
  }

  @Test
  void dealsPartitionsOutByWeight() {
    int partitions = 4000;
    FixedPlacement placement =
        FixedPlacement.of(SHUFFLE, partitions, servers(0, 1), 1, new int[partitions]);
    List<LiveServer> live =
        List.of(
            new LiveServer(server(1), 1),
            new LiveServer(server(2), 2),
            new LiveServer(server(3), 5));
    FixedPlacement next =
        EpochMint.next(
            placement,
            List.of(Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED)),
            List.of(),
            live);
    Map<PlacedServer, Integer> counts = new HashMap<>();
    IntStream.range(0, partitions).forEach(p -> counts.merge(set(next, p).get(0), 1, Integer::sum));
    assertThat(counts)
        .containsOnly(
            Map.entry(server(1), 500), Map.entry(server(2), 1000), Map.entry(server(3), 2500));
  }

  /** Of the others only 2 takes partitions: the second set finds it, the first one has it. */
  @Test
  void aSetThatFindsNobodyDoesNotMakeOthersSmaller() {
    FixedPlacement placement =
        FixedPlacement.of(SHUFFLE, 2, servers(0, 5), 3, new int[] {0, 1, 2, 0, 3, 4});
    FixedPlacement next =
        EpochMint.next(
            placement,
            List.of(Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED)),
            List.of(),
            List.of(new LiveServer(server(2), 1)));
    assertThat(set(next, 0)).containsExactly(server(1), server(2));
    assertThat(set(next, 1)).containsExactly(server(3), server(4), server(2));
    assertThat(next.epochs()).isEqualTo(3);
  }

  @Test
  void aPartitionThatIsFullWhereverItCouldGoStaysAndOthersMove() {
    FixedPlacement placement = FixedPlacement.of(SHUFFLE, 2, servers(0, 3), 1, new int[] {0, 1});
    Complaint full = Complaint.ofPartitions(server(0), ErrorCode.PARTITION_FULL, new int[] {0});
    Complaint there = Complaint.ofPartitions(server(2), ErrorCode.PARTITION_FULL, new int[] {0});
    Complaint dead = Complaint.ofServer(server(1), ErrorCode.CONNECT_FAILED);
    List<LiveServer> live = List.of(new LiveServer(server(0), 1), new LiveServer(server(2), 1));

    FixedPlacement next = EpochMint.next(placement, List.of(full, there, dead), List.of(), live);

    assertThat(set(next, 0)).containsExactly(server(0));
    assertThat(next.epochOf(0, 1)).isZero();
    assertThat(set(next, 1)).containsExactly(server(2));
    assertThatThrownBy(() -> EpochMint.next(placement, List.of(full, there), List.of(), live))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));
  }

  /** Of two copies one is on a server without memory: with a third it moves, else it stays. */
  @Test
  void pressureTakesNoCopy() {
    FixedPlacement placement = FixedPlacement.of(SHUFFLE, 2, servers(0, 2), 2, alternating(4));
    List<Complaint> pressed = List.of(Complaint.ofServer(server(1), ErrorCode.NO_MEMORY));

    FixedPlacement moved = EpochMint.next(placement, pressed, List.of(), live(3));
    assertThat(set(moved, 0)).containsExactly(server(0), server(2));
    assertThatThrownBy(() -> EpochMint.next(placement, pressed, List.of(), live(2)))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));

    ServerBook book = bookOf(2);
    assertThatThrownBy(() -> EpochMint.next(placement, pressed, book))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));
    assertThatThrownBy(() -> EpochMint.next(placement, List.of(), book))
        .as("as the book has it, for a moment")
        .isInstanceOf(SluiceException.class);
  }

  /** A job goes on with one copy rather than fail, and one that has only one waits. */
  @Test
  void pressureThatLastsTakesACopyButNotTheLast() {
    List<Complaint> lasting = List.of(Complaint.ofServerForLong(server(1), ErrorCode.NO_MEMORY));

    FixedPlacement two = FixedPlacement.of(SHUFFLE, 2, servers(0, 2), 2, alternating(4));
    FixedPlacement moved = EpochMint.next(two, lasting, List.of(), live(2));
    assertThat(set(moved, 0)).containsExactly(server(0));
    assertThat(set(moved, 1)).containsExactly(server(0));

    FixedPlacement one = FixedPlacement.of(SHUFFLE, 1, servers(1, 2), 1, new int[] {0});
    assertThatThrownBy(() -> EpochMint.next(one, lasting, List.of(), List.of()))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));
  }

  /** What one shuffle has waited a minute for another has not. */
  @Test
  void pressureThatLastsTakesNoCopyOfAnotherShuffle() {
    FixedPlacement mine = FixedPlacement.of(SHUFFLE, 2, servers(0, 2), 2, alternating(4));
    ShuffleKey key = new ShuffleKey(SHUFFLE.application(), 4, 0);
    FixedPlacement other =
        FixedPlacement.of(key, 3, servers(0, 3), 2, new int[] {0, 1, 1, 0, 2, 0});
    ServerBook book = bookOf(2);
    Complaint lasting = Complaint.ofServerForLong(server(1), ErrorCode.NO_MEMORY);
    assertThat(set(EpochMint.next(mine, List.of(lasting), book), 0)).containsExactly(server(0));

    Complaint dead = Complaint.ofServer(server(2), ErrorCode.CONNECT_FAILED);
    FixedPlacement next = EpochMint.next(other, List.of(dead), book);
    assertThat(set(next, 2)).containsExactly(server(0));
    assertThat(set(next, 0)).containsExactlyInAnyOrder(server(0), server(1));
    assertThat(set(next, 1)).containsExactlyInAnyOrder(server(0), server(1));
  }

  /** It is not memory that passes: a set need not wait for a member that refuses connections. */
  @Test
  void aMemberWithoutPlacesIsLeftAtOnce() {
    FixedPlacement two = FixedPlacement.of(SHUFFLE, 2, servers(0, 2), 2, alternating(4));
    List<Complaint> refused =
        List.of(Complaint.ofServer(server(1), ErrorCode.TOO_MANY_CONNECTIONS));
    assertThat(set(EpochMint.next(two, refused, List.of(), live(2)), 0)).containsExactly(server(0));
  }

  @Test
  void smallSetsGrowWithTheNextEpochOrWhenTheyAreToldTo() {
    FixedPlacement placement =
        FixedPlacement.of(SHUFFLE, 2, servers(0, 4), 2, new int[] {0, 1, 2, 3});
    FixedPlacement small =
        EpochMint.next(
            placement,
            List.of(Complaint.ofServer(server(1), ErrorCode.SHUTTING_DOWN)),
            List.of(),
            List.of());
    assertThat(set(small, 0)).containsExactly(server(0));
    assertThat(EpochMint.next(small, List.of(), List.of(), live(4))).isSameAs(small);

    FixedPlacement grown = EpochMint.grown(small, bookOf(4));
    assertThat(set(grown, 0)).hasSize(2).startsWith(server(0));
    assertThat(set(grown, 1)).containsExactly(server(2), server(3));
    assertThat(grown.epochs()).isEqualTo(small.epochs() + 1);
    assertThat(EpochMint.grown(grown, bookOf(4))).isSameAs(grown);
    assertThat(EpochMint.grown(small, bookOf(1))).as("nobody to join").isSameAs(small);

    FixedPlacement next =
        EpochMint.next(
            small,
            List.of(Complaint.ofServer(server(3), ErrorCode.CONNECT_FAILED)),
            List.of(),
            live(4));
    assertThat(set(next, 0)).as("moved by nobody's complaint").hasSize(2).startsWith(server(0));
  }

  private static ServerBook bookOf(int count) {
    ServerBook book = new ServerBook(new FakeLoop().clock());
    book.snapshot(
        servers(0, count).stream()
            .map(server -> new ServerStatus(server, ServerStatus.State.ACTIVE, 1, 0, 1))
            .toList());
    return book;
  }

  @Test
  void aLaterLifeOfAServerIsAsGoodAsAnother() {
    FixedPlacement placement = FixedPlacement.of(SHUFFLE, 2, servers(0, 1), 1, new int[2]);
    PlacedServer back = new PlacedServer(server(0).id(), 2, "elsewhere", 7000);
    FixedPlacement next =
        EpochMint.next(
            placement,
            List.of(Complaint.ofServer(server(0), ErrorCode.STALE_INCARNATION)),
            List.of(),
            List.of(new LiveServer(back, 1)));
    assertThat(set(next, 1)).containsExactly(back);
    assertThatThrownBy(
            () ->
                EpochMint.next(
                    next,
                    List.of(Complaint.ofServer(back, ErrorCode.CONNECT_FAILED)),
                    List.of(),
                    List.of(new LiveServer(back, 1))))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));
  }

  /** Of a set in zones a and b, the one in b goes: its place is taken in b or c, not in a. */
  @Test
  void copiesStayApart() {
    FixedPlacement placement = FixedPlacement.of(SHUFFLE, 60, servers(0, 2), 2, alternating(120));
    List<LiveServer> live =
        List.of(
            new LiveServer(server(0), 10, new Place("a", "1")),
            new LiveServer(server(2), 10, new Place("a", "1")),
            new LiveServer(server(3), 10, new Place("a", "2")),
            new LiveServer(server(4), 10, new Place("b", "1")),
            new LiveServer(server(5), 10, new Place("c", "1")));

    FixedPlacement next =
        EpochMint.next(
            placement,
            List.of(Complaint.ofServer(server(1), ErrorCode.CONNECT_FAILED)),
            List.of(),
            live);

    Map<PlacedServer, Integer> counts = new HashMap<>();
    IntStream.range(0, 60).forEach(p -> counts.merge(set(next, p).get(1), 1, Integer::sum));
    // All stand near server 0 but 4 and 5, which may become twice as full as 3 and 4 times as 2.
    assertThat(counts.get(server(4))).isGreaterThan(counts.getOrDefault(server(3), 0));
    assertThat(counts.getOrDefault(server(4), 0) + counts.getOrDefault(server(5), 0))
        .isGreaterThanOrEqualTo(40);
    assertThat(counts.getOrDefault(server(3), 0))
        .isGreaterThanOrEqualTo(counts.getOrDefault(server(2), 0));
  }

  @Test
  void copiesShareAHostOnlyIfThereIsNoOther() {
    FixedPlacement placement = FixedPlacement.of(SHUFFLE, 4, servers(0, 2), 2, alternating(8));
    PlacedServer beside = new PlacedServer(server(9).id(), 1, server(0).host(), 7009);
    Complaint complaint = Complaint.ofServer(server(1), ErrorCode.CONNECT_FAILED);
    LiveServer small = new LiveServer(server(2), 1);
    LiveServer large = new LiveServer(beside, 1L << 50);

    FixedPlacement next =
        EpochMint.next(placement, List.of(complaint), List.of(), List.of(small, large));
    assertThat(set(next, 3).get(1)).isEqualTo(server(2));

    next = EpochMint.next(placement, List.of(complaint), List.of(), List.of(large));
    assertThat(set(next, 3).get(1)).isEqualTo(beside);
  }

  private static int[] alternating(int length) {
    return IntStream.range(0, length).map(i -> i % 2).toArray();
  }

  private static FixedPlacement placement(
      Random random, int servers, int replicas, int partitions) {
    int[] assignment = new int[partitions * replicas];
    for (int p = 0; p < partitions; p++) {
      int first = random.nextInt(servers);
      for (int replica = 0; replica < replicas; replica++) {
        assignment[p * replicas + replica] = (first + replica) % servers;
      }
    }
    return FixedPlacement.of(SHUFFLE, partitions, servers(0, servers), replicas, assignment);
  }

  private static List<PlacedServer> set(FixedPlacement placement, int partition) {
    int epoch = placement.epochOf(partition, placement.epochs() - 1);
    return IntStream.range(0, placement.replicas(epoch))
        .mapToObj(replica -> placement.servers().get(placement.server(epoch, partition, replica)))
        .toList();
  }

  private static List<LiveServer> live(int count) {
    return servers(0, count).stream().map(server -> new LiveServer(server, 1)).toList();
  }

  private static List<PlacedServer> servers(int from, int to) {
    return IntStream.range(from, to).mapToObj(EpochMintPropertyTest::server).toList();
  }

  private static PlacedServer server(int number) {
    return new PlacedServer(ServerId.of(9, number), 1, "server-" + number, 7000);
  }
}
