package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.scheduler.MapStatus$;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.Test;

/** Server 0 is lost; epoch 1 moved its partition 0 to server 1, epoch 2 partition 1 to server 0. */
class LostBlocksTest {
  private static final PlacedServer LOST = server(0);

  private final FixedPlacement placement =
      FixedPlacement.of(
              new ShuffleKey(ApplicationId.of(1, 1), 0, 0),
              3,
              List.of(server(0), server(1)),
              1,
              new int[] {0, 1, 1})
          .withEpoch(new int[] {0}, List.of(server(1)), 1, new int[1])
          .withEpoch(new int[] {1}, List.of(server(0)), 1, new int[1]);

  @Test
  void findsOutputsWithBlocksAtALostServer() {
    assertLost(true, 0, 0, 5, 0, 0);
    assertLost(false, 0, 0, 0, 5, 5);
  }

  @Test
  void leavesOutputsAloneThatBeganAfterThePartitionMoved() {
    assertLost(false, 1, 1, 5, 5, 5);
    assertLost(true, 0, 1, 5, 0, 0);
  }

  @Test
  void countsTheEpochsThatCameWhileTheAttemptRan() {
    assertLost(true, 1, 2, 0, 5, 0);
    assertLost(false, 1, 2, 5, 0, 5);
    assertLost(true, 2, 2, 0, 5, 0);
  }

  /** Its blocks went elsewhere before the lost server had acknowledged any. */
  @Test
  void leavesAnOutputAloneThatTheLostServerHasNothingOf() {
    assertThat(among(placement, holding(0, 1, new int[] {1}, 5, 5, 5))).isEmpty();
    assertThat(among(placement, holding(0, 1, new int[] {0, 1}, 5, 5, 5))).hasSize(1);
    assertThat(among(placement, holding(0, 1, new int[] {0}, 5, 0, 0))).hasSize(1);
    assertThat(among(placement, holding(0, 1, new int[] {}, 0, 0, 0))).isEmpty();
  }

  @Test
  void ofASetOnlyMembersCountThatHaveAny() {
    FixedPlacement moved =
        FixedPlacement.of(
                placement.shuffle(), 1, List.of(server(0), server(1)), 2, new int[] {0, 1})
            .withEpoch(List.of(server(1), server(2)), 2, new int[] {0, 1});
    MapStatus elsewhere = holding(0, 1, new int[] {1, 2}, 5);
    MapStatus everywhere = holding(0, 1, new int[] {0, 1, 2}, 5);
    LostBlocks blocks = new LostBlocks(moved, server -> !server.equals(server(2)));
    assertThat(blocks.among(new MapStatus[] {elsewhere})).isEmpty();
    assertThat(blocks.among(new MapStatus[] {everywhere, elsewhere}))
        .containsExactly(everywhere.location());
  }

  private static Set<BlockManagerId> among(FixedPlacement placement, MapStatus status) {
    return new LostBlocks(placement, LOST::equals).among(new MapStatus[] {status});
  }

  private static MapStatus holding(int first, int last, int[] servers, long... sizes) {
    BitSet storedOn = new BitSet();
    IntStream.of(servers).forEach(storedOn::set);
    return status(MapLocation.holding(MapLocation.of(0, 7, 107, first, last), storedOn), sizes);
  }

  /** Of partitions 0 to 2 the first epoch has 0 at server 0, and the third 1 as well. */
  @Test
  void whatIsWholeOnDisksIsNotLost() {
    FixedPlacement two =
        FixedPlacement.of(
            placement.shuffle(), 3, List.of(server(0), server(1)), 1, new int[] {0, 1, 0});
    assertThat(salvaged(two, 2, at(0, 0, 5, 5, 5))).as("both partitions").isEmpty();
    assertThat(salvaged(two, 1, at(0, 0, 5, 5, 5))).as("one of two").hasSize(1);
    assertThat(salvaged(two, 1, at(0, 0, 5, 5, 0))).as("it has only one").isEmpty();
    assertThat(salvaged(two, 2, at(0, 0, 5, 5, 0))).as("something is wrong").hasSize(1);
    assertThat(salvaged(two, 3, at(0, 0, 5, 5, 5))).hasSize(1);
  }

  /** After an orderly restart later epochs name another life; the disks have what both took. */
  @Test
  void allLivesOfAServerCountTogether() {
    PlacedServer later = new PlacedServer(LOST.id(), 2, LOST.host(), LOST.port());
    FixedPlacement two =
        FixedPlacement.of(
                placement.shuffle(), 3, List.of(server(0), server(1)), 1, new int[] {0, 1, 1})
            .withEpoch(new int[] {1}, List.of(later), 1, new int[1]);
    MapStatus[] statuses = {null, null, at(1, 1, 5, 5, 5)};
    assertThat(ofBothLives(two, later, 2).among(statuses)).isEmpty();
    assertThat(ofBothLives(two, later, 1).among(statuses)).as("half of it").hasSize(1);
  }

  private static LostBlocks ofBothLives(FixedPlacement two, PlacedServer later, int partitions) {
    StoredMaps stored = stored(2, 107, partitions);
    return new LostBlocks(
        two, server -> server.id().equals(LOST.id()), Map.of(LOST, stored, later, stored));
  }

  @Test
  void ofAnAttemptThatTheEpochChangedUnderNothingCountsAsWhole() {
    assertThat(salvaged(placement, 1, at(2, 2, 0, 5, 0))).isEmpty();
    assertThat(salvaged(placement, 1, at(1, 2, 0, 5, 0))).hasSize(1);
  }

  /** Both members of a set were killed and are back; one has everything. */
  @Test
  void oneMemberOfASetThatHasItOnDiskIsEnough() {
    FixedPlacement replicated =
        FixedPlacement.of(
            placement.shuffle(), 2, List.of(server(0), server(1)), 2, new int[] {0, 1, 1, 0});
    MapStatus[] statuses = {null, null, at(0, 0, 5, 5)};
    StoredMaps both = stored(2, 107, 2);
    assertThat(new LostBlocks(replicated, server -> true, Map.of(server(1), both)).among(statuses))
        .isEmpty();
    StoredMaps one = stored(2, 107, 1);
    LostBlocks half =
        new LostBlocks(replicated, server -> true, Map.of(server(0), one, server(1), one));
    assertThat(half.among(statuses)).hasSize(1);
    assertThat(half.servers()).containsExactlyInAnyOrder(server(0), server(1));
  }

  /** What is left of map 2 if server 0 has so many partitions of it. */
  private static Set<BlockManagerId> salvaged(
      FixedPlacement placement, int partitions, MapStatus status) {
    return new LostBlocks(placement, LOST::equals, Map.of(LOST, stored(2, 107, partitions)))
        .among(new MapStatus[] {null, null, status});
  }

  private static StoredMaps stored(int map, long attempt, int partitions) {
    StoredMaps.Builder maps = new StoredMaps.Builder();
    maps.add(map, attempt, partitions);
    return maps.build();
  }

  private static MapStatus at(int first, int last, long... sizes) {
    return status(7, first, last, sizes);
  }

  @Test
  void leavesNothingOutWhileAMemberOfTheSetIsLeft() {
    FixedPlacement replicated =
        FixedPlacement.of(
            placement.shuffle(), 3, List.of(server(0), server(1)), 2, new int[] {0, 1, 1, 0, 0, 1});
    LostBlocks blocks = new LostBlocks(replicated, LOST::equals);
    assertThat(blocks.among(new MapStatus[] {status(0, 0, 0, 5, 5, 5)})).isEmpty();
    LostBlocks both = new LostBlocks(replicated, server -> true);
    assertThat(both.among(new MapStatus[] {status(0, 0, 0, 5, 5, 5)})).hasSize(1);
  }

  /** Of a set of three one other member may have missed what the first and the other one hold. */
  @Test
  void countsAMemberOnlyIfItNeedHaveWhatWasAcknowledged() {
    FixedPlacement three =
        FixedPlacement.of(
            placement.shuffle(),
            1,
            List.of(server(0), server(1), server(2)),
            3,
            new int[] {0, 1, 2});
    MapStatus[] all = {status(MapLocation.of(0, 7, 107, 0, 0), 5)};
    MapStatus[] majority = {status(MapLocation.of(0, 7, 107, 0, 0, true), 5)};
    for (PlacedServer left : three.servers()) {
      LostBlocks others = new LostBlocks(three, server -> !server.equals(left));
      assertThat(others.among(all)).isEmpty();
      assertThat(others.among(majority)).hasSize(left.equals(server(0)) ? 0 : 1);
    }
    assertThat(new LostBlocks(three, LOST::equals).among(majority)).isEmpty();
  }

  @Test
  void namesAllOutputsConcernedAtOnce() {
    MapStatus[] statuses = new MapStatus[20];
    for (int map = 0; map < 20; map++) {
      statuses[map] = map % 2 == 0 ? status(map, 0, 0, 1, 1, 1) : status(map, 1, 1, 1, 1, 1);
    }
    statuses[4] = null;
    assertThat(new LostBlocks(placement, LOST::equals).among(statuses)).hasSize(9);
  }

  private void assertLost(boolean lost, int first, int last, long... sizes) {
    Set<BlockManagerId> found =
        new LostBlocks(placement, LOST::equals)
            .among(new MapStatus[] {status(7, first, last, sizes)});
    assertThat(!found.isEmpty()).as("lost, epochs %d to %d", first, last).isEqualTo(lost);
  }

  private static MapStatus status(int map, int first, int last, long... sizes) {
    return status(MapLocation.of(0, map, 100 + map, first, last), sizes);
  }

  private static MapStatus status(BlockManagerId location, long... sizes) {
    return MapStatus$.MODULE$.apply(location, sizes, 107);
  }
}
