package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.status;
import static org.apache.spark.shuffle.sluice.driver.MapOutputs.SHUFFLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
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
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.shuffle.sluice.handle.EpochRequest;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import scala.Option;
import scala.collection.immutable.List$;

/**
 * Server 0 dies in the middle of a map stage: maps 0 and 1 had ended, 2 and 3 ran and went on in an
 * epoch without it. Map 4 is still to come.
 */
abstract class ServerLostInMapPhase {
  private static final int MAPS = 5;

  final MapOutputs outputs = new MapOutputs(MAPS);
  final SteppedScheduler scheduler = new SteppedScheduler();
  final ServerBook servers = new ServerBook(scheduler.clock());
  final LiveShuffles shuffles = new LiveShuffles(servers);
  final List<PlacedServer> asked = new ArrayList<>();
  CompletableFuture<StoredMaps> onDisk = new CompletableFuture<>();
  final StalledLoop spark = new StalledLoop();
  final LossHandling handling =
      new LossHandling(
          servers,
          shuffles,
          new RegisteredOutputs(outputs.tracker, spark, shuffle -> false),
          this::storedMaps,
          scheduler);

  @BeforeEach
  void killAServerInTheMapPhase() {
    handling.snapshot(
        List.of(status(0, State.ACTIVE), status(1, State.ACTIVE), status(2, State.ACTIVE)));
    shuffles.add(
        FixedPlacement.of(
            new ShuffleKey(ApplicationId.of(1, 1), SHUFFLE, 0),
            2,
            List.of(server(0), server(1)),
            1,
            new int[] {0, 1}));
    outputs.register(0, 100, MapLocation.of(SHUFFLE, 0, 100, 0, 0));
    outputs.register(1, 101, MapLocation.of(SHUFFLE, 1, 101, 0, 0));
    Complaint dead = Complaint.ofServer(server(0), ErrorCode.CONNECT_FAILED);
    FixedPlacement moved = shuffles.atLeast(new EpochRequest(SHUFFLE, 0, 2, List.of(dead)));
    assertThat(moved.servers()).containsExactly(server(0), server(1), server(2));
    outputs.register(2, 102, ranMeanwhile(2, 102, 1, 2));
    outputs.register(3, 103, ranMeanwhile(3, 103, 1, 2));
  }

  CompletionStage<StoredMaps> storedMaps(PlacedServer server, ShuffleKey shuffle) {
    assertThat(shuffle).isEqualTo(newest().shuffle());
    asked.add(server);
    return onDisk;
  }

  @AfterEach
  void stop() {
    outputs.close();
  }

  CompletionStage<List<Integer>> leftWhenSettled(int shuffle) {
    CompletableFuture<List<Integer>> left = new CompletableFuture<>();
    handling.whenSettled(shuffle, () -> left.complete(outputs.registered()));
    return left;
  }

  /** In its second life, which kept nothing that was only in memory. */
  static ServerStatus back() {
    PlacedServer first = server(0);
    PlacedServer second = new PlacedServer(first.id(), 2, first.host(), first.port());
    return new ServerStatus(second, State.ACTIVE, 2, 1, 1);
  }

  /** In one partition, which is all that server 0 has of a map. */
  static StoredMaps whole(int map, long attempt) {
    StoredMaps.Builder maps = new StoredMaps.Builder();
    maps.add(map, attempt, 1);
    return maps.build();
  }

  FixedPlacement newest() {
    return Objects.requireNonNull(shuffles.newest(SHUFFLE));
  }

  /** An attempt that began in the first epoch and ended in the second. */
  static BlockManagerId ranMeanwhile(int map, long attempt, int... storedOn) {
    BitSet servers = new BitSet();
    IntStream.of(storedOn).forEach(servers::set);
    return MapLocation.holding(MapLocation.of(SHUFFLE, map, attempt, 0, 1), servers);
  }

  static SparkListenerStageCompleted completed() {
    return new SparkListenerStageCompleted(
        new StageInfo(
            1,
            0,
            "maps",
            MAPS,
            List$.MODULE$.empty(),
            List$.MODULE$.empty(),
            "",
            TaskMetrics.empty(),
            List$.MODULE$.empty(),
            Option.apply(SHUFFLE),
            0,
            false,
            0));
  }
}
