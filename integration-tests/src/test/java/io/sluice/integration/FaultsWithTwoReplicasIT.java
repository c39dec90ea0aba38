package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.integration.FaultSession.Phase;
import io.sluice.integration.fault.JobWatch.Strike;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * With two replicas, whatever happens to one server, nothing is ever run again; and a dead one is
 * not waited for, though clients would wait for half a minute if it alone had the data.
 */
@ExtendWith(OwnShuffle.Extension.class)
class FaultsWithTwoReplicasIT {
  private static @Nullable FaultSession shared;

  @RegisterExtension
  final KeepOnFailure keep = new KeepOnFailure(() -> shared == null ? null : shared.runs());

  @BeforeAll
  static void start(OwnShuffle own) throws Exception {
    shared = new FaultSession(own, Map.of(), Map.of("spark.sluice.replicas", "2"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (shared != null) {
      shared.close();
    }
  }

  private static FaultSession session() {
    return Objects.requireNonNull(shared);
  }

  @ParameterizedTest
  @EnumSource
  void whatADeadServerHadIsReadElsewhere(Phase phase) throws Exception {
    Strike death = new Strike(phase.afterMaps, null, session().deathOf(1 + phase.ordinal()));
    assertThat(FaultSession.again(session().run(death))).isEmpty();
  }

  @Test
  void aFrozenServerIsNotWaitedFor() throws Exception {
    Strike pause =
        new Strike(Phase.REDUCE.afterMaps, Duration.ofSeconds(8), session().pauseOf(3));
    assertThat(FaultSession.again(session().run(pause))).isEmpty();
  }
}
