package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What readers make of a server that has no room, a failed disk, or is another one. */
class FetchRefusedTest extends FetchFixture {
  @Test
  void triesAgainWhenAServerIsMomentarilyUnable() throws InterruptedException {
    server.failFetches.add(ErrorCode.TOO_MANY_STREAMS);
    server.failFetches.add(ErrorCode.INTERNAL_ERROR);
    assertThat(count(read(0, 1))).isEqualTo(MAPS);
    assertThat(server.fetches).isEqualTo(3);
  }

  @Test
  void givesUpAfterAFewFailuresInARow() {
    for (int i = 0; i < 100; i++) {
      server.failFetches.add(ErrorCode.INTERNAL_ERROR);
    }
    assertMissing(ErrorCode.INTERNAL_ERROR, MAPS);
    assertThat(server.fetches).isLessThan(10);
  }

  @Test
  void missesOnlyWhatABrokenDiskHeldAndAsksOnceMore() {
    server.unreadable = block -> block.partition() == 0 && block.mapIndex() == 1;

    assertThatThrownBy(() -> count(read(0, PARTITIONS)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> {
              assertThat(missing.code()).isEqualTo(ErrorCode.DISK_FAILED);
              assertThat(missing.maps())
                  .extracting(MissingMap::toString)
                  .containsExactly("map 1 attempt 101 partition 0");
            });
    assertThat(server.fetches).isEqualTo(2);
  }

  @Test
  void aDiskThatFailsOnceCostsNothing() throws InterruptedException {
    server.failFetches.add(ErrorCode.DISK_FAILED);
    assertThat(count(read(0, 1))).isEqualTo(MAPS);
    assertThat(server.fetches).isEqualTo(2);
  }

  @Test
  void givesUpAtOnceWhereAnotherServerAnswers() {
    server.dropConnections();
    server.strangerAt = server.placed().host();
    int connects = server.connects;
    long start = cluster.loop.clock().nanoTime();

    assertMissing(ErrorCode.WRONG_SERVER, MAPS);

    assertThat(server.connects - connects).isEqualTo(1);
    assertThat(secondsSince(start)).isLessThan(1);
  }

  @Test
  void asksTheRightServerWhereALaterPlacementSaysItIs() throws InterruptedException {
    server.dropConnections();
    server.strangerAt = server.placed().host();
    try (BlockReader stranded = client.read(placement, 0, 1, 0, MAPS, expected(0, 1))) {
      server.restart(true);
      FixedPlacement later =
          FixedPlacement.of(
              cluster.shuffle,
              PARTITIONS,
              List.of(server.placed("elsewhere"), cluster.servers.get(1).placed()),
              1,
              new int[] {0, 1, 0, 1});
      try (BlockReader reader = client.read(later, 0, 1, 0, MAPS, expected(0, 1))) {
        assertThat(count(reader)).isEqualTo(MAPS);
      }
      assertThatThrownBy(() -> count(stranded))
          .as("what the right server says to the earlier placement")
          .isInstanceOfSatisfying(
              MissingBlocksException.class,
              missing -> assertThat(missing.code()).isEqualTo(ErrorCode.STALE_INCARNATION));
    }
  }

  @Test
  void triesAServerThatTurnsItAwayForNoLongerThanItMayAndTakesNothingForLost() {
    server.dropConnections();
    server.up = false;
    server.refusal = ErrorCode.TOO_MANY_CONNECTIONS;
    long start = cluster.loop.clock().nanoTime();

    assertNoRoom(ErrorCode.TOO_MANY_CONNECTIONS);

    assertThat(secondsSince(start)).isBetween(20.0, 20.1);
  }

  @Test
  void waitsForAServerThatTurnsItAwayForAWhile() throws InterruptedException {
    server.dropConnections();
    server.up = false;
    server.refusal = ErrorCode.TOO_MANY_CONNECTIONS;
    cluster.loop.schedule(Duration.ofSeconds(18).toNanos(), () -> server.up = true);

    assertThat(count(read(0, 1))).isEqualTo(MAPS);
  }

  @Test
  void waitsForAServerThatHasNoRoomForAStream() throws InterruptedException {
    for (int i = 0; i < 10; i++) {
      server.failFetches.add(ErrorCode.TOO_MANY_STREAMS);
    }
    assertThat(count(read(0, 1))).isEqualTo(MAPS);
    assertThat(server.fetches).isEqualTo(11);
  }

  @Test
  void takesNothingForLostWhereAServerHasNoRoomForAStream() {
    for (int i = 0; i < 100; i++) {
      server.failFetches.add(ErrorCode.TOO_MANY_STREAMS);
    }
    long start = cluster.loop.clock().nanoTime();
    assertNoRoom(ErrorCode.TOO_MANY_STREAMS);
    assertThat(secondsSince(start)).isBetween(20.0, 23.0);
  }

  @Test
  void doesNotAskForRecomputationWhereItWouldNotHelp() {
    server.failFetches.add(ErrorCode.AUTHENTICATION_FAILED);
    assertThatThrownBy(() -> count(read(0, 1)))
        .isNotInstanceOf(MissingBlocksException.class)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.AUTHENTICATION_FAILED));
  }

  @Test
  void givesUpOnAStreamThatStalls() {
    server.silent = true;
    long start = cluster.loop.now();
    assertMissing(ErrorCode.TIMED_OUT, MAPS);
    assertThat(cluster.loop.now() - start)
        .isBetween(Duration.ofSeconds(19).toNanos(), Duration.ofSeconds(41).toNanos());
  }

  private void assertNoRoom(ErrorCode code) {
    assertThatThrownBy(() -> count(read(0, 1)))
        .isNotInstanceOf(MissingBlocksException.class)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(server.placed().id().toString());
  }

  private double secondsSince(long start) {
    return (cluster.loop.clock().nanoTime() - start) / 1e9;
  }
}
