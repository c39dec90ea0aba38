package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.integration.FaultSession.Bystander;
import io.sluice.integration.FaultSession.Phase;
import io.sluice.integration.fault.Fault;
import io.sluice.integration.fault.Firewall;
import io.sluice.integration.fault.JobWatch.Strike;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The rows of the design's table of failures that strike a server or its network, with two replicas
 * of everything, and two deaths in a row with three: rows are exact, and no stage is tried again.
 * Everything is as by default, for nobody has to wait until a server is given up.
 */
@MostlyWaits
@ExtendWith(OwnShuffle.Extension.class)
class FaultsWithReplicasIT {
  private static final Map<Integer, FaultSession> SESSIONS = new HashMap<>();
  private static @Nullable FaultSession used;

  @RegisterExtension
  final KeepOnFailure keep = new KeepOnFailure(() -> used == null ? null : used.runs());

  @AfterAll
  static void stop() throws Exception {
    for (FaultSession session : SESSIONS.values()) {
      session.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theDeathOfAServerCostsNothing(Phase phase, OwnShuffle own) throws Exception {
    FaultSession session = session(2, own);

    assertNothingRunsAgain(session, new Strike(phase.afterMaps, null, session.deathOf(1)));
  }

  @Test
  void twoDeathsInARowCostNothingWithThree(OwnShuffle own) throws Exception {
    FaultSession session = session(3, own);

    assertNothingRunsAgain(
        session,
        new Strike(Phase.MAP.afterMaps, null, session.deathOf(1)),
        new Strike(Phase.REDUCE.afterMaps, null, session.deathOf(2)));
  }

  @ParameterizedTest
  @MethodSource("phases")
  void aFrozenServerCostsNothing(Phase phase, OwnShuffle own) throws Exception {
    FaultSession session = session(2, own);

    assertNothingRunsAgain(
        session, new Strike(phase.afterMaps, FaultSession.PAUSE, session.pauseOf(2)));
  }

  @ParameterizedTest
  @MethodSource("phases")
  void connectionsThatAreResetCostNothing(Phase phase, OwnShuffle own) throws Exception {
    FaultSession session = session(2, own);
    Fault resets = firewall(Firewall.resetting(session.dataPort(3)));

    assertNothingRunsAgain(session, new Strike(phase.afterMaps, Duration.ofSeconds(2), resets));
  }

  @ParameterizedTest
  @MethodSource("phases")
  void packetsThatAreDroppedCostNothing(Phase phase, OwnShuffle own) throws Exception {
    FaultSession session = session(2, own);
    Fault silence = firewall(Firewall.dropping(session.dataPort(4)));

    assertNothingRunsAgain(session, new Strike(phase.afterMaps, null, silence));
  }

  @ParameterizedTest
  @EnumSource
  @EnabledIfSystemProperty(named = "sluice.faults.full", matches = "true")
  void whoHoldsNoBlocksMayFail(Bystander bystander, OwnShuffle own) throws Exception {
    FaultSession session = session(2, own);

    assertNothingRunsAgain(session, session.strike(bystander));
  }

  /** Both in the full matrix, one otherwise. */
  private static Stream<Phase> phases() {
    return Boolean.getBoolean("sluice.faults.full")
        ? Stream.of(Phase.values())
        : Stream.of(Phase.MAP);
  }

  private static Fault firewall(Firewall rules) throws InterruptedException {
    assumeTrue(Firewall.usable(), "iptables cannot be used here");
    return rules;
  }

  private static void assertNothingRunsAgain(FaultSession session, Strike... strikes)
      throws Exception {
    assertThat(FaultSession.again(session.run(strikes))).isEmpty();
  }

  private static FaultSession session(int replicas, OwnShuffle own) throws Exception {
    FaultSession session = SESSIONS.get(replicas);
    if (session == null) {
      session =
          new FaultSession(
              own, Map.of(), Map.of("spark.sluice.replicas", Integer.toString(replicas)));
      SESSIONS.put(replicas, session);
    }
    used = session;
    return session;
  }
}
