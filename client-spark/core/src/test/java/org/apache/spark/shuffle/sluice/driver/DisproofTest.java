package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.status;
import static org.apache.spark.shuffle.sluice.driver.MapOutputs.SHUFFLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Whom a report of map 0 disproves, of servers that are back and say that they have it whole in one
 * partition.
 */
class DisproofTest {
  private static final ShuffleKey KEY = new ShuffleKey(ApplicationId.of(1, 1), SHUFFLE, 0);

  private final MapOutputs outputs = new MapOutputs(1);
  private final SteppedScheduler scheduler = new SteppedScheduler();
  private final ServerBook servers = new ServerBook(scheduler.clock());
  private final Salvage salvage =
      new Salvage(
          servers, (server, shuffle) -> CompletableFuture.completedFuture(whole()), scheduler);

  @AfterEach
  void stop() {
    outputs.close();
  }

  private static StoredMaps whole() {
    StoredMaps.Builder maps = new StoredMaps.Builder();
    maps.add(0, 100, 1);
    return maps.build();
  }

  /** Partition 0 is at servers 0 and 1 or the first alone, partition 1 at servers 1 and 0. */
  private static ShufflePlacement placement(int replicas) {
    return FixedPlacement.of(
        KEY,
        2,
        List.of(server(0), server(1)),
        replicas,
        replicas == 1 ? new int[] {0, 1} : new int[] {0, 1, 1, 0});
  }

  /** Of three servers, these are back without their memory and have told what they have. */
  private void areBack(int... numbers) {
    List<ServerStatus> all = new ArrayList<>();
    for (int number = 0; number < 3; number++) {
      int it = number;
      boolean back = IntStream.of(numbers).anyMatch(n -> n == it);
      all.add(back ? back(number) : status(number, State.ACTIVE));
    }
    servers.snapshot(all);
    for (int number : numbers) {
      assertThat(salvage.of(KEY, server(number), () -> {})).isNotNull();
    }
  }

  private static ServerStatus back(int number) {
    PlacedServer first = server(number);
    PlacedServer second = new PlacedServer(first.id(), 2, first.host(), first.port());
    return new ServerStatus(second, State.ACTIVE, 2, 1, 1);
  }

  private static BlockManagerId ran(int firstEpoch, int lastEpoch) {
    return MapLocation.of(SHUFFLE, 0, 100, firstEpoch, lastEpoch);
  }

  private Set<PlacedServer> disproved(
      ShufflePlacement placement, BlockManagerId location, int partition, Complaint... silent) {
    outputs.register(0, 100, location);
    MissingMaps missing =
        new MissingMaps(
            SHUFFLE,
            List.of(new MissingMap(0, 100, partition)),
            List.of(silent),
            "says the test",
            true);
    MapStatus[] statuses =
        outputs.tracker.shuffleStatuses().apply(SHUFFLE).withMapStatuses(all -> all.clone());
    return new Disproof(placement, servers::isLost, salvage).by(missing, statuses);
  }

  @Test
  void theServerThatHasThePartitionIsWrong() {
    areBack(0, 1);
    assertThat(disproved(placement(1), ran(0, 0), 0)).containsExactly(server(0));
    assertThat(disproved(placement(1), ran(0, 0), 1)).containsExactly(server(1));
  }

  @Test
  void nobodyIsWrongWhoHasToldNothing() {
    areBack();
    assertThat(new Disproof(placement(1), servers::isLost, salvage).isPossible()).isFalse();
    assertThat(disproved(placement(1), ran(0, 0), 0)).isEmpty();
  }

  @Test
  void aServerThatIsKnownToHaveNoneOfItIsNotWrong() {
    areBack(0, 1);
    BitSet second = new BitSet();
    second.set(1);
    assertThat(disproved(placement(1), MapLocation.holding(ran(0, 0), second), 0)).isEmpty();
    assertThat(disproved(placement(1), MapLocation.holding(ran(0, 0), second), 1))
        .containsExactly(server(1));
  }

  /** A reader asks both before it says that something is missing. They have two partitions each. */
  @Test
  void ofTwoReplicasBothAreWrongIfBothHaveToldOfAllTheirPartitions() {
    ShufflePlacement replicated = placement(2);
    areBack(0, 1);
    assertThat(disproved(replicated, ran(0, 0), 0))
        .as("one partition of two is whole there")
        .isEmpty();
    assertThat(disproved(onePartition(), ran(0, 0), 0))
        .containsExactlyInAnyOrder(server(0), server(1));
  }

  @Test
  void ofTwoReplicasTheOneIsWrongThatIsBackAndHasAnsweredTheReader() {
    areBack(0);
    assertThat(disproved(onePartition(), ran(0, 0), 0)).containsExactly(server(0));
    areBack(0, 1);
    Complaint silent = Complaint.ofServer(back(1).server(), ErrorCode.CONNECTION_LOST);
    assertThat(disproved(onePartition(), ran(0, 0), 0, silent)).containsExactly(server(0));
  }

  private static ShufflePlacement onePartition() {
    return FixedPlacement.of(KEY, 1, List.of(server(0), server(1)), 2, new int[] {0, 1});
  }

  /** What lies where, no word says of an attempt that ran while the placement changed. */
  @Test
  void ofAnAttemptOfSeveralEpochsNothingWasKept() {
    areBack(0);
    FixedPlacement moved = moved();
    assertThat(disproved(moved, ran(0, 1), 0)).isEmpty();
    assertThat(disproved(moved, ran(1, 1), 0)).as("elsewhere").isEmpty();
    assertThat(disproved(moved, ran(0, 0), 0)).containsExactly(server(0));
  }

  /** Partition 0 is not at the first life of server 0 any more from the second epoch on. */
  private FixedPlacement moved() {
    LiveShuffles shuffles = new LiveShuffles(servers);
    shuffles.add(FixedPlacement.of(KEY, 2, List.of(server(0), server(1)), 1, new int[] {0, 1}));
    shuffles.leave(SHUFFLE, List.of());
    FixedPlacement moved = shuffles.newest(SHUFFLE);
    assertThat(moved).isNotNull();
    assertThat(moved.epochs()).isEqualTo(2);
    return moved;
  }

  @Test
  void aReportOfAnEpochThatThePlacementDoesNotHaveYetDisprovesNobody() {
    areBack(0);
    assertThat(disproved(placement(1), ran(1, 1), 0)).isEmpty();
  }
}
