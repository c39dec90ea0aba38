package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeDriver;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.placement.Placements;
import io.sluice.client.placement.Prospect;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that are away for longer than the reconnect deadline, and what the driver knows of them.
 * Deadlines are the defaults: 30 s, and 2 minutes without progress.
 */
class AwaitedServerTest {
  private static final int PARTITIONS = 2;
  private static final int MAPS = 3;
  private static final UniformShuffle SHUFFLE = new UniformShuffle(MAPS, PARTITIONS, 5_000);

  private final FakeCluster cluster = new FakeCluster(2, 1);
  private final FakeServer server = cluster.servers.get(0);
  private final FakeDriver driver = cluster.driver(cluster.placement(PARTITIONS));
  private final SluiceClient client =
      cluster.client(
          ClientConfig.builder().readerCreditBytes(512 * 1024).build(), Placements.from(driver));

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  // ------------------------------------------------------------------------------------ readers

  @ParameterizedTest
  @ValueSource(ints = {60, 300})
  void readsEverythingOfAServerThatRestartsForLong(int seconds) throws InterruptedException {
    writeAll();
    stop();
    at(seconds, this::comeBack);

    assertThat(readAll()).isEqualTo(SHUFFLE.blocks());

    assertThat(seconds()).isBetween((double) seconds, seconds + 3.0);
  }

  @Test
  void givesAServerTimeToBeReachedThatCoordinatorsHearAgain() throws InterruptedException {
    writeAll();
    stop();
    at(119, () -> driver.prospect = Prospect.UNKNOWN);
    at(140, this::comeBack);

    assertThat(readAll()).isEqualTo(SHUFFLE.blocks());
  }

  @Test
  void reportsAtOnceWhatIsLostMeanwhile() throws InterruptedException {
    writeAll();
    stop();
    at(90, () -> driver.prospect = Prospect.LOST);

    assertMissing();

    assertThat(seconds()).isBetween(90.0, 93.0);
  }

  @Test
  void waitsNoLongerThanItMayForAServerOfWhichNobodyKnows() throws InterruptedException {
    writeAll();
    server.dropConnections();
    server.up = false;

    assertMissing();

    assertThat(seconds()).isBetween(30.0, 31.0);
    assertThat(driver.prospectsAsked).as("where it is, and whether it returns").isEqualTo(2);
  }

  /** As where a task asks coordinators itself, and these are away. */
  @ParameterizedTest
  @ValueSource(ints = {5, 20, 60})
  void isReachedAtOnceWhileTheQuestionAboutItIsOpen(int seconds) throws InterruptedException {
    writeAll();
    stop();
    driver.saysNothing = true;
    at(seconds, this::comeBack);

    assertThat(readAll()).isEqualTo(SHUFFLE.blocks());

    assertThat(seconds()).isBetween((double) seconds, seconds + 2.5);
  }

  @Test
  void isGivenUpWhenAQuestionAboutItIsAnsweredAtLast() throws InterruptedException {
    writeAll();
    server.dropConnections();
    server.up = false;
    driver.thinks = Duration.ofMinutes(2);

    assertMissing();

    assertThat(seconds()).isBetween(120.0, 123.0);
    assertThat(driver.prospectsAsked).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"says nothing of it", "does not answer"})
  void waitsAsLongAgainWhenTheDriverKnowsNothingAnyMore(String how) throws InterruptedException {
    writeAll();
    stop();
    @Nullable Prospect then = how.equals("does not answer") ? null : Prospect.UNKNOWN;
    at(60, () -> driver.prospect = then);

    assertMissing();

    assertThat(seconds()).isBetween(88.0, 92.0);
  }

  @Test
  void believesWhatIsLostOnceItIsBack() throws InterruptedException {
    writeAll();
    stop();
    at(
        60,
        () -> {
          server.restart(false);
          server.up = true;
          driver.prospect = Prospect.LOST;
        });

    assertMissing();

    assertThat(seconds()).isBetween(60.0, 63.0);
  }

  @Test
  void waitsForAServerThatHasItsAddressTakenByAnother() throws InterruptedException {
    writeAll();
    stop();
    server.up = true;
    server.strangerAt = server.placed().host();
    at(
        60,
        () -> {
          server.strangerAt = null;
          comeBack();
        });

    assertThat(readAll()).isEqualTo(SHUFFLE.blocks());
  }

  /** The connection stays for a reader that is slow; new requests have to wait for the next. */
  @Test
  void waitsForAServerThatTakesLongToStop() throws InterruptedException {
    int blocks = 400;
    try (MapOutput output = client.openMapOutput(driver.placement(), MAPS, 100 + MAPS)) {
      for (int i = 0; i < blocks; i++) {
        SHUFFLE.push(output, 0, i == blocks - 1 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    writeAll();
    double start = seconds();
    ArrayExpectedMaps.Builder large = ArrayExpectedMaps.builder(0, 1);
    large.nonEmpty(large.add(MAPS, 100 + MAPS), 0);
    try (BlockReader slow = client.read(driver.placement(), 0, 1, 0, 10, large.build())) {
      assertThat(slow.next()).isNotNull();
      server.goAway();
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      driver.prospect = Prospect.RETURNS;
      at(150, this::stop);
      at(200, this::comeBack);

      assertThat(readAll()).isEqualTo(SHUFFLE.blocks());
    }
    assertThat(seconds() - start).isBetween(200.0, 204.0);
  }

  @Test
  void goesToAnotherReplicaAtOnce() throws InterruptedException {
    FakeDriver replicating = cluster.driver(cluster.replicated(PARTITIONS, 2));
    replicating.prospect = Prospect.RETURNS;
    try (SluiceClient other =
        cluster.client(ClientConfig.defaults(), Placements.from(replicating))) {
      writeAll(other, replicating);
      server.dropConnections();
      server.up = false;
      double start = seconds();
      assertThat(readAll(other, replicating)).isEqualTo(SHUFFLE.blocks());
      assertThat(seconds() - start).isLessThan(1);
    }
  }

  /** Of many that come at a time it answers some, and closes the connections of others. */
  @Test
  void waitsForAFullServerForNoLongerThanItMayWhateverItSays() throws InterruptedException {
    writeAll();
    server.dropConnections();
    server.up = false;
    server.refusal = ErrorCode.TOO_MANY_CONNECTIONS;
    for (int second = 5; second < 500; second += 10) {
      at(second, () -> server.refusal = ErrorCode.CONNECTION_LOST);
      at(second + 5, () -> server.refusal = ErrorCode.TOO_MANY_CONNECTIONS);
    }

    assertThatThrownBy(this::readAll)
        .isNotInstanceOf(MissingBlocksException.class)
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS));

    assertThat(seconds()).isBetween(120.0, 127.0);
  }

  // ------------------------------------------------------------------------------------ writers

  @ParameterizedTest
  @ValueSource(ints = {60, 300})
  void aMapOutputEndsWhenTheServerThatStoredItIsBack(int seconds) throws InterruptedException {
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 100)) {
      store(output);
      stop();
      at(seconds, this::comeBack);
      output.finish();
    }
    assertThat(seconds()).isBetween((double) seconds, seconds + 5.0);
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 20, 60})
  void aMapOutputReachesAServerThatStoppedWhileTheQuestionAboutItIsOpen(int seconds)
      throws InterruptedException {
    driver.refuses = true;
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 100)) {
      store(output);
      server.goAway();
      SHUFFLE.push(output, 0, BlockHeader.LAST);
      driver.saysNothing = true;
      stop();
      at(seconds, this::comeBack);
      output.finish();
    }
    assertThat(seconds()).isBetween((double) seconds, seconds + 5.0);
  }

  @Test
  void aMapOutputFailsAtOnceWhenTheServerThatStoredItIsLost() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 100)) {
      store(output);
      stop();
      at(90, () -> driver.prospect = Prospect.LOST);
      assertThatThrownBy(output::finish)
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.DATA_LOST));
    }
    assertThat(seconds()).isBetween(90.0, 95.0);
  }

  @Test
  void aMapOutputWaitsForAServerThatHasNoRoomToSayThatItHasEverything()
      throws InterruptedException {
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 100)) {
      store(output);
      server.dropConnections();
      server.up = false;
      server.refusal = ErrorCode.TOO_MANY_CONNECTIONS;
      at(60, () -> server.up = true);
      output.finish();
    }
  }

  @Test
  void aMapOutputFailsForWantOfRoomAndNotForLoss() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 100)) {
      store(output);
      server.dropConnections();
      server.up = false;
      server.refusal = ErrorCode.TOO_MANY_CONNECTIONS;
      assertThatThrownBy(output::finish)
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY_CONNECTIONS));
    }
    assertThat(seconds()).isBetween(120.0, 125.0);
  }

  @Test
  void blocksThatCanGoNowhereElseWaitForTheServer() throws InterruptedException {
    driver.refuses = true;
    try (MapOutput output = client.openMapOutput(driver.placement(), 0, 100)) {
      store(output);
      stop();
      at(300, this::comeBack);
      SHUFFLE.push(output, 0, BlockHeader.LAST);
      SHUFFLE.push(output, 1, BlockHeader.LAST);
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(2);
  }

  // -------------------------------------------------------------------------------------- parts

  /** What is written before the server goes. */
  private void store(MapOutput output) throws InterruptedException {
    SHUFFLE.push(output, 0, 0);
    output.flush();
    cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(1);
  }

  private void stop() {
    driver.prospect = Prospect.RETURNS;
    server.goAway();
    server.dropConnections();
    server.up = false;
  }

  private void comeBack() {
    server.restartIntact();
    server.up = true;
    driver.prospect = Prospect.UNKNOWN;
  }

  private void at(int seconds, Runnable what) {
    cluster.loop.schedule(Duration.ofSeconds(seconds).toNanos() - cluster.loop.now(), what);
  }

  private double seconds() {
    return cluster.loop.now() / 1e9;
  }

  private void writeAll() throws InterruptedException {
    writeAll(client, driver);
  }

  private static void writeAll(SluiceClient by, FakeDriver placed) throws InterruptedException {
    SHUFFLE.write(by, placed.placement());
  }

  private void assertMissing() {
    assertThatThrownBy(this::readAll)
        .isInstanceOfSatisfying(
            MissingBlocksException.class, missing -> assertThat(missing.maps()).hasSize(MAPS));
  }

  private int readAll() throws InterruptedException {
    return readAll(client, driver);
  }

  private static int readAll(SluiceClient by, FakeDriver placed) throws InterruptedException {
    return UniformShuffle.count(SHUFFLE.read(by, placed.placement()));
  }
}
