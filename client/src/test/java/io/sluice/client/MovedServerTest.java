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
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that come back with all they had at another address than placements name. */
class MovedServerTest {
  private static final int PARTITIONS = 4;
  private static final int MAPS = 3;
  private static final UniformShuffle SHUFFLE = new UniformShuffle(MAPS, PARTITIONS, 5_000);
  private static final String BEFORE = "10.0.0.1";
  private static final String NOW = "10.0.0.7";

  private final FakeCluster cluster = new FakeCluster(2, 1);
  private final FakeServer server = cluster.servers.get(0);
  private final FakeServer other = cluster.servers.get(1);
  private FakeDriver driver;
  private SluiceClient client;

  @BeforeEach
  void write() throws InterruptedException {
    server.at = BEFORE;
    driver = cluster.driver(cluster.placement(PARTITIONS));
    client = client();
    SHUFFLE.write(client, driver.placement());
  }

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  private SluiceClient client() {
    return cluster.client(ClientConfig.defaults(), Placements.from(driver));
  }

  private void stop() {
    driver.prospect = Prospect.RETURNS;
    server.goAway();
    server.dropConnections();
    server.up = false;
  }

  private void comeBack() {
    server.restartIntactAt(NOW);
    driver.prospect = Prospect.UNKNOWN;
  }

  private void after(int seconds, Runnable what) {
    cluster.loop.schedule(Duration.ofSeconds(seconds).toNanos(), what);
  }

  /** Seconds that it takes to read everything, with the first placement there was. */
  private double readAll() throws InterruptedException {
    return readAll(client);
  }

  private double readAll(SluiceClient by) throws InterruptedException {
    long start = cluster.loop.now();
    BlockReader reader = SHUFFLE.read(by, driver.placement());
    assertThat(UniformShuffle.count(reader)).isEqualTo(SHUFFLE.blocks());
    return (cluster.loop.now() - start) / 1e9;
  }

  @Test
  void isReadOnWhenItIsBack() throws InterruptedException {
    stop();
    after(60, this::comeBack);
    assertThat(readAll()).isBetween(60.0, 63.0);
  }

  @Test
  void isFoundAtOnceByThoseWhoNeverSawItWhereItWas() throws InterruptedException {
    stop();
    comeBack();
    SluiceClient later = client();
    int connects = server.connects;
    assertThat(readAll(later)).isLessThan(0.1);
    assertThat(server.connects - connects).as("where it was, and where it is").isEqualTo(2);
    assertThat(driver.prospectsAsked).isEqualTo(1);
    assertThat(readAll(later)).as("once it is known").isLessThan(0.1);
    assertThat(driver.prospectsAsked).isEqualTo(1);
    later.close();
  }

  /** It says so in the handshake, and is asked for nothing. */
  @Test
  void isNotTakenForTheOneThatHasItsAddressNow() throws InterruptedException {
    stop();
    comeBack();
    other.at = BEFORE;
    other.dropConnections();
    int fetches = other.fetches;
    SluiceClient later = client();

    assertThat(readAll(later)).isLessThan(1);

    later.close();

    assertThat(other.fetches - fetches).as("for what it was asked for by its own name").isOne();
  }

  @Test
  void isGivenUpAtOnceIfAnotherHasItsAddressAndNobodyKnowsWhereItIs() {
    server.dropConnections();
    server.strangerAt = BEFORE;
    driver.knowsAddresses = false;
    double start = cluster.loop.now() / 1e9;
    assertThatThrownBy(this::readAll)
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing -> assertThat(missing.code()).isEqualTo(ErrorCode.WRONG_SERVER));
    assertThat(cluster.loop.now() / 1e9 - start).isLessThan(1);
  }

  @ParameterizedTest
  @EnumSource(names = {"RETURNS", "UNKNOWN"})
  void aMapOutputEndsWhereItIsNow(Prospect meanwhile) throws InterruptedException {
    try (MapOutput output = client.openMapOutput(driver.placement(), MAPS, 100 + MAPS)) {
      SHUFFLE.push(output, 0, 0);
      output.flush();
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      stop();
      driver.prospect = meanwhile;
      after(20, this::comeBack);
      driver.refuses = true;
      SHUFFLE.push(output, 0, BlockHeader.LAST);
      SHUFFLE.push(output, 2, BlockHeader.LAST);
      output.finish();
    }
    assertThat(server.blocks(cluster.shuffle, 0)).hasSize(MAPS + 2);
    assertThat(server.blocks(cluster.shuffle, 2)).hasSize(MAPS + 1);
  }

  @Test
  void whatIsLostIsGivenUpAtOnce() {
    server.dropConnections();
    server.up = false;
    driver.prospect = Prospect.LOST;
    double start = cluster.loop.now() / 1e9;
    assertThatThrownBy(this::readAll).isInstanceOf(MissingBlocksException.class);
    assertThat(cluster.loop.now() / 1e9 - start).isLessThan(1);
  }

  @Test
  void aDriverThatSaysNothingDelaysNobody() throws InterruptedException {
    server.dropConnections();
    server.up = false;
    driver.saysNothing = true;
    after(20, () -> server.up = true);
    assertThat(readAll()).isBetween(20.0, 22.5);
  }
}
