package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.integration.FaultSession.Bystander;
import io.sluice.integration.FaultSession.Phase;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.Firewall;
import io.sluice.integration.fault.JobWatch.StageAttempt;
import io.sluice.integration.fault.JobWatch.Strike;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rows of the design's table of failures that strike a process or the network, without
 * replicas: rows are exact, and only the death of a server makes anything run again.
 */
@MostlyWaits
@ExtendWith(OwnShuffle.Extension.class)
class FaultsWithOneReplicaIT {
  private static @Nullable FaultSession shared;

  @RegisterExtension
  final KeepOnFailure keep = new KeepOnFailure(() -> shared == null ? null : shared.runs());

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    // Deaths are found out sooner than by default, pauses still are none.
    shared =
        new FaultSession(
            own,
            Map.of("coordinator.server.lost-after", "15s"),
            Map.of("spark.sluice.reconnectDeadline", "15s"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (shared != null) {
      shared.close();
    }
  }

  /**
   * A task whose blocks the server had acknowledged before it died, and which reports after the
   * loss was dealt with, is found out by its report, and needs an attempt of its own. There are no
   * more of them than tasks that ran at the time.
   */
  private static boolean isOfLateWinners(StageAttempt attempt) {
    return attempt.number() == 2 && attempt.tasks() <= FaultSession.TASKS_AT_A_TIME;
  }

  @ParameterizedTest
  @EnumSource
  void whatADeadServerHadIsRunAgainOnce(Phase phase) throws Exception {
    List<StageAttempt> attempts =
        session().run(new Strike(phase.afterMaps, null, session().deathOf(1)));

    // However many of the reducers trip over it.
    assertThat(FaultSession.again(attempts))
        .isNotEmpty()
        .allMatch(attempt -> attempt.number() == 1 || isOfLateWinners(attempt));
    int maps = FaultSession.mapsRunAgain(attempts);
    System.out.println("a server killed in phase " + phase + ": " + maps + " maps run again");
    assertThat(maps).as("maps run again").isBetween(1, FaultSession.MAPS);
  }

  /** Little has reached its disk here: {@link WholeOnDiskIT} has a shuffle of which most has. */
  @ParameterizedTest
  @EnumSource
  void whatAKilledServerHadThatIsBackAtOnceIsRunAgainOnce(Phase phase) throws Exception {
    List<StageAttempt> attempts =
        session().run(new Strike(phase.afterMaps, Duration.ofSeconds(1), session().deathOf(1)));

    assertThat(FaultSession.again(attempts))
        .allMatch(attempt -> attempt.number() == 1 || isOfLateWinners(attempt));
    int maps = FaultSession.mapsRunAgain(attempts);
    System.out.println("a server back at once in phase " + phase + ": " + maps + " maps run again");
    assertThat(maps).as("maps run again").isLessThanOrEqualTo(FaultSession.MAPS);
  }

  @Test
  void whatTwoServersHadThatDieOneAfterTheOtherIsRunAgain() throws Exception {
    List<StageAttempt> again =
        again(
            new Strike(Phase.MAP.afterMaps, null, session().deathOf(1)),
            new Strike(Phase.REDUCE.afterMaps, null, session().deathOf(2)));

    assertThat(again).isNotEmpty().allMatch(attempt -> attempt.number() <= 3);
  }

  @ParameterizedTest
  @MethodSource("phases")
  void aFrozenServerIsWaitedFor(Phase phase) throws Exception {
    assertThat(again(new Strike(phase.afterMaps, FaultSession.PAUSE, session().pauseOf(2))))
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void connectionsThatAreResetAreMadeAgain(Phase phase) throws Exception {
    Fault resets = firewall(Firewall.resetting(session().dataPort(3)));

    assertThat(again(new Strike(phase.afterMaps, Duration.ofSeconds(2), resets))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("phases")
  void packetsThatAreDroppedAreWaitedFor(Phase phase) throws Exception {
    Fault silence = firewall(Firewall.dropping(session().dataPort(4)));

    assertThat(again(new Strike(phase.afterMaps, FaultSession.PAUSE, silence))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("bystanders")
  void whoHoldsNoBlocksMayFail(Bystander bystander) throws Exception {
    assertThat(again(session().strike(bystander))).isEmpty();
  }

  /** All in the full matrix, deaths otherwise. */
  private static Stream<Bystander> bystanders() {
    return Boolean.getBoolean("sluice.faults.full")
        ? Stream.of(Bystander.values())
        : Stream.of(Bystander.COORDINATOR_KILLED, Bystander.EXECUTOR_KILLED);
  }

  /** Both in the full matrix, one otherwise: each takes as long as the fault. */
  private static Stream<Phase> phases() {
    return Boolean.getBoolean("sluice.faults.full")
        ? Stream.of(Phase.values())
        : Stream.of(Phase.REDUCE);
  }

  private static Fault firewall(Firewall rules) throws InterruptedException {
    assumeTrue(Firewall.usable(), "iptables cannot be used here");
    return rules;
  }

  /** Attempts of stages beyond the first. */
  private static List<StageAttempt> again(Strike... strikes) throws Exception {
    return FaultSession.again(session().run(strikes));
  }

  private static FaultSession session() {
    return Objects.requireNonNull(shared);
  }
}
