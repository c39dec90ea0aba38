package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.ExitCode;
import io.sluice.cli.cluster.ServerDrainCommand;
import io.sluice.cli.local.LocalCluster;
import io.sluice.cli.local.LocalServer;
import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine;

/**
 * Server processes that are stopped and started, frozen and thawed, drained: what clients and
 * drivers see of it, without an engine.
 */
@MostlyWaits
class ServerRestartIT {
  /** A server is lost in five seconds instead of thirty. */
  private static final Map<String, String> FAST =
      Map.of(
          "coordinator.server.heartbeat-interval", "100ms",
          "coordinator.server.suspect-after", "1s",
          "coordinator.server.lost-after", "5s");

  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("restart");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  private static Runs runs() {
    return Objects.requireNonNull(shared);
  }

  @Test
  void aRollingRestartLosesNothingThatWasAcknowledged() throws Exception {
    LocalCluster cluster = runs().cluster(2, "512m");
    try (TestShuffle shuffle = new TestShuffle(cluster.coordinatorAddress())) {
      ShufflePlacement placement = shuffle.place();
      assertThat(placement.servers()).hasSize(2);
      try (MapOutput output = shuffle.output(placement)) {
        TestShuffle.push(output, 0);
        for (int server = 1; server <= 2; server++) {
          // What it has acknowledged by the time it lets its clients go, and what it has not.
          cluster.restart(server);
          ServerStatus back =
              shuffle
                  .events()
                  .await(
                      status -> status.server().incarnation() == 2,
                      status -> status.state() == State.LOST);
          assertThat(back.keeps(1)).isTrue();
          TestShuffle.push(output, server);
        }
        output.finish();
      }
      shuffle.assertHas(placement, 3);
    }
  }

  /** An executor knows servers by the placement that it was given, and asks where they are now. */
  @Test
  void aServerThatIsBackAtAnotherAddressIsReadThere() throws Exception {
    LocalCluster cluster = runs().coordinated(1, "512m", FAST);
    try (TestShuffle shuffle = new TestShuffle(cluster.coordinatorAddress(), true)) {
      ShufflePlacement placement = shuffle.place();
      try (MapOutput output = shuffle.output(placement)) {
        TestShuffle.push(output, 0);
        output.finish();
      }
      cluster.restartElsewhere(1);
      ServerStatus back =
          shuffle
              .events()
              .await(
                  status -> status.server().incarnation() == 2,
                  status -> status.state() == State.LOST);
      assertThat(back.server().port()).isNotEqualTo(placement.servers().get(0).port());
      shuffle.assertHas(placement, 1);
      shuffle.reconnect();
      shuffle.assertHas(placement, 1);
    }
  }

  /** The same address, and neither the server nor the data that were there. */
  @Test
  void aServerThatComesBackWithBlankDisksDoesNotSayThatThereIsNothing() throws Exception {
    Path disk = runs().path().resolve("a-disk");
    LocalCluster cluster =
        runs().cluster(1, "512m", Map.of("server.data-dirs", disk.toString()), FAST);
    try (TestShuffle shuffle = new TestShuffle(cluster.coordinatorAddress())) {
      ShufflePlacement placement = shuffle.place();
      try (MapOutput output = shuffle.output(placement)) {
        TestShuffle.push(output, 0);
        output.finish();
      }
      shuffle.assertHas(placement, 1);
      signal(cluster.servers().get(0), "KILL");
      Files.move(disk, disk.resolveSibling("taken-out"));
      LocalServer blank = cluster.restart(1);

      assertThat(blank.announcement().address())
          .isEqualTo(placement.servers().get(0).host() + ":" + placement.servers().get(0).port());
      assertThatThrownBy(() -> shuffle.assertHas(placement, 1))
          .satisfies(hasCode(ErrorCode.WRONG_SERVER));
      shuffle.reconnect();
      assertThatThrownBy(() -> shuffle.assertHas(placement, 1))
          .satisfies(hasCode(ErrorCode.WRONG_SERVER));
      ShufflePlacement again = shuffle.place();
      try (MapOutput output = shuffle.output(again)) {
        TestShuffle.push(output, 0);
        output.finish();
      }
      shuffle.assertHas(again, 1);
    }
  }

  @Test
  void aFrozenServerIsSuspectThenFencedAndComesBackByItself() throws Exception {
    LocalCluster cluster = runs().coordinated(1, "512m", FAST);
    LocalServer server = cluster.servers().get(0);
    try (TestShuffle shuffle = new TestShuffle(cluster.coordinatorAddress())) {
      ServerEvents events = shuffle.events();
      ShufflePlacement first = shuffle.place();
      try (MapOutput output = shuffle.output(first)) {
        TestShuffle.push(output, 0);
        signal(server, "STOP");
        events.await(State.SUSPECT);
        signal(server, "CONT");
        // A pause: nothing is lost, and the map output goes on.
        events.await(
            status -> status.state() == State.ACTIVE, status -> status.state() == State.LOST);
        TestShuffle.push(output, 1);
        output.finish();
      }
      shuffle.assertHas(first, 2);

      signal(server, "STOP");
      events.await(State.LOST);
      signal(server, "CONT");
      ServerStatus back = events.await(State.ACTIVE);

      assertThat(back.server().incarnation()).isEqualTo(2);
      assertThat(back.keeps(1)).as("what was given up").isFalse();
      ShufflePlacement second = shuffle.place();
      try (MapOutput output = shuffle.output(second)) {
        TestShuffle.push(output, 0);
        output.finish();
      }
      shuffle.assertHas(second, 1);
    }
  }

  @Test
  void aDrainedServerIsReadUntilItsDataIsGoneAndThenSaysSo() throws Exception {
    LocalCluster cluster = runs().coordinated(1, "512m", FAST);
    try (TestShuffle shuffle = new TestShuffle(cluster.coordinatorAddress())) {
      ServerEvents events = shuffle.events();
      ShufflePlacement placement = shuffle.place();
      try (MapOutput output = shuffle.output(placement)) {
        TestShuffle.push(output, 0);
        output.finish();
      }
      String id = placement.servers().get(0).id().toString();
      assertThat(drain(cluster, id)).as("of the only one").isEqualTo(ExitCode.FAILED);
      CompletableFuture<Integer> drained =
          CompletableFuture.supplyAsync(() -> drain(cluster, id, "--wait", "--force"));
      events.await(State.DRAINING);
      shuffle.assertHas(placement, 1);
      // It is kept, whatever becomes of the server.
      cluster.restart(1);
      events.await(
          status -> status.state() == State.DRAINING && status.server().incarnation() == 2,
          status -> status.state() == State.LOST);
      shuffle.assertHas(placement, 1);
      assertThat(drained).isNotDone();

      shuffle.remove(placement);

      assertThat(drained.get(60, TimeUnit.SECONDS)).isZero();
      assertThat(drain(cluster, id, "--undo")).isZero();
      events.await(State.ACTIVE);
    }
  }

  private static Consumer<Throwable> hasCode(ErrorCode code) {
    return failure ->
        assertThat(failure)
            .isInstanceOfSatisfying(
                SluiceException.class, e -> assertThat(e.code()).as(e.toString()).isEqualTo(code));
  }

  private static int drain(LocalCluster cluster, String id, String... options) {
    return new CommandLine(new ServerDrainCommand())
        .setExecutionExceptionHandler((failure, command, parsed) -> ExitCode.FAILED)
        .execute(
            Stream.concat(
                    Stream.of(id, "--coordinator", cluster.coordinatorAddress()),
                    Stream.of(options))
                .toArray(String[]::new));
  }

  private static void signal(LocalServer server, String name)
      throws IOException, InterruptedException {
    Process kill =
        new ProcessBuilder("kill", "-" + name, Long.toString(server.process().pid())).start();
    assertThat(kill.waitFor()).isZero();
  }
}
