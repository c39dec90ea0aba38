package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Blocks that a server does not take go to another one, and readers find them there. */
class MoveTest extends MoveFixture {
  @Test
  void goesElsewhereAtOnceWhenAServerCannotBeReached() throws InterruptedException {
    first.up = false;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      pushAll(output);
      output.finish();
      assertThat(output.firstEpoch()).isZero();
      assertThat(output.lastEpoch()).isEqualTo(1);
      assertThat(firstHoldsSomeOf(output)).as("the dead server has any of it").isFalse();
      assertThat(output.storedOn().isEmpty()).isFalse();
    }
    assertThat(cluster.loop.now()).isLessThan(seconds(1));
    assertThat(first.connects).as("attempts").isEqualTo(2);
    assertThat(driver.asked).hasSize(1);
    assertComplaint(first, ErrorCode.CONNECT_FAILED);
    assertReadable(1, 1);
  }

  /** Whether the life that the placement named has anything. */
  private boolean firstHoldsSomeOf(MapOutput output) {
    return output.storedOn().get(placement.servers().indexOf(firstPlaced));
  }

  @Test
  void goesElsewhereWhenAServerSaysNothingForAWhile() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 1, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.silent = true;
      pushAll(output);
      output.finish();
    }
    assertThat(cluster.loop.now()).isBetween(seconds(6), seconds(7));
    assertComplaint(first, ErrorCode.TIMED_OUT);
  }

  @Test
  void blamesNoServerForAPauseOfItsOwn() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.frozenUntil = cluster.loop.now() + seconds(6);
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(1_000_000);
      cluster.loop.stall(Duration.ofMillis(5_500).toNanos());
      pushAll(output);
      output.finish();
    }
    assertThat(driver.asked).isEmpty();
    assertReadable(1, 1, 6);
  }

  @Test
  void takesLateAnswersForWhatWentElsewhereMeanwhile() throws InterruptedException {
    write(0);
    first.frozenUntil = cluster.loop.now() + seconds(10);
    write(1);
    assertThat(cluster.loop.now()).isLessThan(seconds(7));
    cluster.loop.runFor(seconds(10));
    assertThat(first.connects).as("the connection lives on").isEqualTo(1);
    try (MapOutput output = client.openMapOutput(placement, 2, 2)) {
      pushAll(output);
      output.finish();
    }
    assertReadable(3, 0);
  }

  @Test
  void goesElsewhereAtOnceWhenAServerIsAboutToStop() throws InterruptedException {
    write(0);
    first.goAway();
    cluster.loop.runFor(seconds(1));
    first.up = false;
    write(1);
    assertThat(cluster.loop.now()).isLessThan(seconds(2));
    assertThat(driver.placement().epochs()).isEqualTo(2);
  }

  /** Where there was nobody else once there may be somebody the next time. */
  @Test
  void movesAgainAfterItHadToWait() throws InterruptedException {
    driver.refuses = true;
    first.up = false;
    cluster.loop.schedule(seconds(10), () -> first.up = true);
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(14));
      assertThat(first.blocks(cluster.shuffle, 0)).hasSize(2);

      driver.refuses = false;
      first.silent = true;
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(6));
      pushAll(output);
      assertThat(driver.placement().epochs()).isEqualTo(2);
      first.silent = false;
      output.finish();
    }
    assertReadable(1, 1, 7);
  }

  @Test
  void asksOnceForAllTasksOfAProcess() throws InterruptedException {
    first.up = false;
    List<MapOutput> outputs = new ArrayList<>();
    for (int map = 0; map < 10; map++) {
      outputs.add(client.openMapOutput(placement, map, map));
    }
    for (MapOutput output : outputs) {
      pushAll(output);
    }
    for (MapOutput output : outputs) {
      output.finish();
      output.close();
    }
    assertThat(driver.asked).hasSize(1);
    assertReadable(10, 0);
  }

  @Test
  void anAttemptThatBeginsLaterDoesNotMeetTheServerAgain() throws InterruptedException {
    first.up = false;
    write(0);
    int connects = first.connects;
    try (MapOutput output = client.openMapOutput(placement, 1, 1)) {
      pushAll(output);
      output.finish();
      assertThat(output.firstEpoch()).isEqualTo(1);
    }
    assertThat(first.connects).isEqualTo(connects);
  }

  @Test
  void failsWhereItsStoredBlocksAreLost() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.up = false;
      first.dropConnections();
      pushAll(output);
      assertCode(output::finish, ErrorCode.DATA_LOST)
          .hasMessageContaining(first.placed().toString());
    }
    assertThat(cluster.loop.now()).as("restarts are waited for").isGreaterThan(seconds(20));
  }

  @Test
  void finishesWhenAServerComesBackWithEverything() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(seconds(1));
      first.up = false;
      first.restartIntact();
      cluster.loop.schedule(seconds(10), () -> first.up = true);
      pushAll(output);
      output.finish();
      assertThat(firstHoldsSomeOf(output)).isTrue();
    }
    assertThat(driver.placement().epochs()).isEqualTo(2);
    assertReadable(1, 1, 5);
  }

  @Test
  void movesAwayFromALaterLifeThatHasNothingOfOurs() throws InterruptedException {
    first.restart(false);
    write(0);
    assertComplaint(first, ErrorCode.STALE_INCARNATION, placement.servers().get(0));
    assertReadable(1, 0);
  }

  @Test
  void waitsForTheServerWhereNoOtherCanTakeTheBlocks() throws InterruptedException {
    driver.refuses = true;
    first.up = false;
    cluster.loop.schedule(seconds(10), () -> first.up = true);
    write(0);
    assertThat(driver.placement().epochs()).isEqualTo(1);
    assertReadable(1, 0);
  }

  @Test
  void anAbandonedOutputFreesWhatCameBack() throws InterruptedException {
    first.up = false;
    try (MapOutput output = client.openMapOutput(placement, 0, 1)) {
      pushAll(output);
      output.flush();
      cluster.loop.runFor(seconds(1));
      assertThat(cluster.activeBytes()).isPositive();
    }
    cluster.loop.runFor(seconds(1));
    assertThat(cluster.activeBytes()).isZero();
    assertThat(driver.asked).isEmpty();
  }

  @Test
  void whatComesBackAfterTheEndIsFreed() throws InterruptedException {
    MapOutput output = client.openMapOutput(placement, 0, 1);
    pushAll(output);
    output.flush();
    first.up = false;
    output.close();
    cluster.loop.runFor(seconds(10));
    assertThat(cluster.activeBytes()).isZero();
  }
}
