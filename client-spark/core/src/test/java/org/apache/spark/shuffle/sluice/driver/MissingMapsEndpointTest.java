package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.status;
import static org.apache.spark.shuffle.sluice.driver.MapOutputs.SHUFFLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.epoch.ServerBook;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One map output of two, on servers 0 and 1, that a reader cannot get from server 0. */
class MissingMapsEndpointTest {
  private final MapOutputs outputs = new MapOutputs(2);
  private final StalledLoop spark = new StalledLoop();
  private final ServerBook servers = new ServerBook(Clock.system());
  private final LiveShuffles shuffles = new LiveShuffles(servers);
  private MissingMaps.Listener driver = missing -> true;
  private final List<Boolean> heard = new CopyOnWriteArrayList<>();
  private volatile CompletableFuture<Void> settled = CompletableFuture.completedFuture(null);
  private volatile CompletableFuture<Void> whenAsked = new CompletableFuture<>();
  private volatile Runnable onLost = () -> {};
  private volatile long arrival = 5;
  private final List<Long> arrivals = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Void> known = new CompletableFuture<>();
  private final CompletableFuture<List<PlacedServer>> met = new CompletableFuture<>();
  private final CompletableFuture<Void> waitsOnceMore = new CompletableFuture<>();

  @BeforeEach
  void registerAMap() {
    RegisteredOutputs registered = new RegisteredOutputs(outputs.tracker, spark, shuffle -> false);
    MissingMapsEndpoint.listen(outputs.rpc, registered, shuffles, servers, new Hearing());
    driver = MissingMapsEndpoint.connect(outputs.conf, outputs.rpc);
    outputs.register(1, 101, MapLocation.of(SHUFFLE, 1, 101, 0, 0));
    servers.snapshot(List.of(status(0, State.ACTIVE), status(1, State.ACTIVE)));
    shuffles.add(
        FixedPlacement.of(
            new ShuffleKey(ApplicationId.of(1, 1), SHUFFLE, 0),
            2,
            List.of(server(0), server(1)),
            1,
            new int[] {0, 1}));
  }

  private final class Hearing implements MissingMapsEndpoint.Losses {
    @Override
    public long arrival() {
      return arrival;
    }

    @Override
    public void whenKnown(List<PlacedServer> lives, Runnable task) {
      if (lives.isEmpty()) {
        task.run();
      } else {
        CompletableFuture<?> unused = known.thenRun(task);
        met.complete(lives);
      }
    }

    @Override
    public void whenSettled(int shuffle, Runnable task) {
      assertThat(shuffle).isEqualTo(SHUFFLE);
      boolean onceMore = !heard.isEmpty();
      CompletableFuture<?> unused = settled.thenRun(task);
      if (onceMore) {
        waitsOnceMore.complete(null);
      }
      whenAsked.complete(null);
    }

    @Override
    public void lost(MissingMaps missing) {
      assertThat(settled).isDone();
      heard.add(isRegistered());
      arrivals.add(missing.arrival());
      onLost.run();
    }
  }

  @AfterEach
  void stop() {
    outputs.close();
  }

  @Test
  void oneReaderAloneDoesNotMakeAServerThatIsThereLose() {
    assertThat(driver.mapsMissing(missing(false, 0))).isFalse();
    assertThat(isRegistered()).isTrue();
    assertThat(epochs()).isEqualTo(1);
    assertThat(heard).as("nothing is lost").isEmpty();

    servers.changed(status(0, State.DRAINING));
    assertThat(driver.mapsMissing(missing(false, 0))).as("it serves readers").isFalse();
  }

  @Test
  void theLastAttemptTakesForLostWhatItCannotReach() {
    assertThat(driver.mapsMissing(missing(true, 0))).isTrue();
    assertThat(isRegistered()).isFalse();
    assertThat(epochs()).as("what runs again does not meet it").isEqualTo(2);
  }

  @Test
  void whatAServerLacksThatAnsweredIsLost() {
    assertThat(driver.mapsMissing(missing(false))).isTrue();
    assertThat(isRegistered()).isFalse();
    assertThat(heard).as("while it was registered").containsExactly(true);
  }

  /** Thousands of readers miss all maps at once; maps run again before the last one says so. */
  @Test
  void aReportThatComesLateLeavesWhatRanAgain() {
    assertThat(driver.mapsMissing(missing(false))).isTrue();
    outputs.register(1, 201, MapLocation.of(SHUFFLE, 1, 201, 1, 1));
    assertThat(driver.mapsMissing(missing(false))).as("the first attempt is lost").isTrue();
    assertThat(isRegistered()).as("the second one").isTrue();
  }

  /**
   * It may be busy for long, and hears of the reader's failure after it has been told to forget.
   */
  @Test
  void readersDoNotWaitForTheScheduler() {
    spark.stall();
    assertThat(driver.mapsMissing(missing(false))).isTrue();
    assertThat(isRegistered()).isTrue();

    spark.go();
    assertThat(isRegistered()).isFalse();
  }

  @Test
  void aServerThatCoordinatorsDoNotHearIsNotThere() {
    servers.changed(status(1, State.SUSPECT));
    assertThat(driver.mapsMissing(missing(false, 0, 1))).isTrue();
    assertThat(isRegistered()).isFalse();
  }

  @Test
  void nobodyIsThereWhileNoCoordinatorIsHeard() {
    servers.unheard();
    assertThat(driver.mapsMissing(missing(false, 0))).isTrue();
    assertThat(isRegistered()).isFalse();
  }

  /** What a server that is back says makes more maps run again: one failure is to be enough. */
  @Test
  void readersWaitUntilItIsKnownWhatAServerThatIsBackHas() throws Exception {
    settled = new CompletableFuture<>();
    CompletableFuture<Void> asked = new CompletableFuture<>();
    whenAsked = asked;
    CompletableFuture<Boolean> answer =
        CompletableFuture.supplyAsync(() -> driver.mapsMissing(missing(false)));
    asked.get(60, TimeUnit.SECONDS);
    assertThat(answer).isNotDone();
    assertThat(isRegistered()).isTrue();

    arrival = 6;
    settled.complete(null);
    assertThat(answer.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(isRegistered()).isFalse();
    assertThat(arrivals).as("when it came").containsExactly(5L);
  }

  /** A block that came as it was sent and cannot be read: the server has what it says it has. */
  @Test
  void whatServersHaveDeliveredIsLostAndNotByThem() {
    assertThat(driver.mapsMissing(missing(true).withAllDelivered())).isTrue();
    assertThat(isRegistered()).isFalse();
    assertThat(heard).isEmpty();
  }

  @Test
  void readersThatMetALaterLifeWaitForTheNewsOfIt() throws Exception {
    List<PlacedServer> later = List.of(server(0).inLife(2));
    CompletableFuture<Boolean> answer =
        CompletableFuture.supplyAsync(
            () -> driver.mapsMissing(missing(false).withLaterLives(later)));
    assertThat(met.get(60, TimeUnit.SECONDS)).isEqualTo(later);
    assertThat(answer).isNotDone();
    assertThat(isRegistered()).isTrue();

    known.complete(null);
    assertThat(answer.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(isRegistered()).isFalse();
  }

  /** Servers that were wrong about what they have are asked once more. */
  @Test
  void readersWaitForWhatTheirReportsMakeTheDriverAsk() throws Exception {
    CompletableFuture<Void> askedOnceMore = new CompletableFuture<>();
    onLost = () -> settled = askedOnceMore;
    CompletableFuture<Boolean> answer =
        CompletableFuture.supplyAsync(() -> driver.mapsMissing(missing(false)));
    waitsOnceMore.get(60, TimeUnit.SECONDS);
    assertThat(isRegistered()).isFalse();
    assertThat(answer).isNotDone();

    askedOnceMore.complete(null);
    assertThat(answer.get(60, TimeUnit.SECONDS)).isTrue();
  }

  private static MissingMaps missing(boolean lastAttempt, int... unreached) {
    List<Complaint> complaints =
        Arrays.stream(unreached)
            .mapToObj(number -> Complaint.ofServer(server(number), ErrorCode.CONNECT_FAILED))
            .collect(Collectors.toList());
    return new MissingMaps(
        SHUFFLE, List.of(new MissingMap(1, 101, 0)), complaints, "says the test", lastAttempt);
  }

  private boolean isRegistered() {
    return !outputs.registered().isEmpty();
  }

  private int epochs() {
    return Objects.requireNonNull(shuffles.newest(SHUFFLE)).epochs();
  }
}
