package io.sluice.simulation.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.sluice.simulation.invariant.Invariant;
import io.sluice.simulation.invariant.Violation;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulation itself can fail: each kind of breakage is noticed within a few seeds. */
class SabotageTest {
  private static final int SEEDS = 1000;

  private final Bench bench = new Bench();

  @AfterEach
  void endThreads() {
    bench.close();
  }

  /** None of them holds by the simulation's not looking. */
  @ParameterizedTest
  @EnumSource(Invariant.class)
  void eachInvariantCanFail(Invariant invariant) {
    Set<Invariant> seen = EnumSet.noneOf(Invariant.class);
    for (long seed = 0; seed < SEEDS && !seen.contains(invariant); seed++) {
      try {
        bench.simulation(seed, against(invariant)).run();
      } catch (Violation violation) {
        seen.add(violation.invariant());
      }
    }
    assertThat(seen).contains(invariant);
  }

  private static Sabotage against(Invariant invariant) {
    return switch (invariant) {
      case ACKNOWLEDGED_BLOCKS_ARE_READABLE -> Sabotages.blocksNotDelivered();
      case ONLY_WHAT_WAS_LOST_IS_MISSING -> Sabotages.acknowledgedAndNotStored();
      case AN_INTACT_LIFE_HAS_EVERYTHING -> Sabotages.sealsBeforeMemoryIsSaved();
      case EXACTLY_ONCE -> Sabotages.blocksDeliveredTwice();
      case NO_WRONG_BYTES -> Sabotages.bytesChanged();
      case EPOCHS_ARE_MONOTONIC -> Sabotages.driverWithTwoHistories();
      case NO_PLACEMENT_OF_A_FENCED_LEADER -> Sabotages.leadersThatAreNotFenced();
      case RESERVATIONS_EQUAL_ACCOUNTED_BYTES -> Sabotages.memoryThatLeaks();
      case CREDIT_CONSERVED -> Sabotages.creditOutOfNothing();
      case NOTHING_LEFT_AFTER_EXPIRY -> Sabotages.connectionsNeverLetGo();
      case EVENTUALLY_QUIET -> Sabotages.readersThatNeverFinish();
      case NO_STRANDED_WAITER -> Sabotages.signalsLost();
      case NO_UNEXPECTED_FAILURE -> Sabotages.readersThatThrow();
    };
  }

  @Test
  void noticesReplicasThatWereAcknowledgedAndNeverStored() {
    // By whichever reader comes first: of a server that lost nothing itself, or of one that did.
    assertThat(caught(Sabotages.replicasNotStored()))
        .isIn(Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING, Invariant.AN_INTACT_LIFE_HAS_EVERYTHING);
  }

  /** That it was away while somebody read is no excuse: it has answered since. */
  @Test
  void noticesExtentsThatAnIntactServerDoesNotFindWithoutReplicas() {
    for (long seed = 0; seed < SEEDS; seed++) {
      ShuffleSimulation simulation = bench.simulation(seed, Sabotages.extentsForgotten());
      if (!simulation.replicates()) {
        try {
          simulation.run();
        } catch (Violation violation) {
          assertThat(violation.invariant()).isEqualTo(Invariant.AN_INTACT_LIFE_HAS_EVERYTHING);
          return;
        }
      }
    }
    fail("nothing was noticed in %d seeds", SEEDS);
  }

  @Test
  void noticesAcknowledgementsThatNeverCome() {
    // The client gives up after its deadline, again and again; or a server takes it for one that
    // sits on its credit, of which it has less than the server believes.
    assertThat(caught(Sabotages.acknowledgementsThatNeverCome()))
        .isIn(
            Invariant.CREDIT_CONSERVED,
            Invariant.NO_UNEXPECTED_FAILURE,
            Invariant.EVENTUALLY_QUIET,
            Invariant.NO_STRANDED_WAITER);
  }

  @Test
  void noticesBlocksThatWereRefusedAndGoNowhere() {
    assertThat(caught(Sabotages.refusalsForgotten()))
        .isEqualTo(Invariant.ONLY_WHAT_WAS_LOST_IS_MISSING);
  }

  /** Whoever has to find out why gets what he needs. */
  @Test
  void aFailureNamesTheInvariantTheSeedAndHowToRepeatIt() {
    ShuffleSimulation simulation = bench.simulation(7, Sabotage.NONE);
    Violation violation = new Violation(Invariant.EXACTLY_ONCE, "delivered twice");
    assertThat(Bench.report(violation.invariant(), 7, simulation, violation))
        .hasMessageContainingAll(
            "EXACTLY_ONCE does not hold under seed 7", "-Dsimulation.seed=7", "calm=");
  }

  private Invariant caught(Sabotage sabotage) {
    for (long seed = 0; seed < SEEDS; seed++) {
      try {
        bench.simulation(seed, sabotage).run();
      } catch (Violation violation) {
        return violation.invariant();
      }
    }
    return fail("nothing was noticed in %d seeds", SEEDS);
  }
}
