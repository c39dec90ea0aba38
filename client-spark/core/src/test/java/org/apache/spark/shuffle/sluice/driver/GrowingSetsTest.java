package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.status;
import static org.apache.spark.shuffle.sluice.driver.MapOutputs.SHUFFLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When sets of replicas that had become smaller get back what they miss. */
class GrowingSetsTest extends ServerLostInMapPhase {
  /** Server 2 leaves a shuffle of two replicas with no other to go to, and comes back. */
  @Test
  void setsGrowAgainAsSoonAsAServerIsBackWhileMapsAreToCome() {
    shuffles.add(replicated());
    handling.changed(status(2, State.RESTARTING));
    shuffles.leave(SHUFFLE, List.of());
    assertThat(newest().epochs()).isEqualTo(2);
    assertThat(newest().replicas(1)).isEqualTo(1);

    handling.changed(status(2, State.ACTIVE));
    assertThat(newest().epochs()).isEqualTo(3);
    assertThat(newest().replicas(2)).isEqualTo(2);
    handling.changed(status(2, State.ACTIVE));
    assertThat(newest().epochs()).as("nothing more to do").isEqualTo(3);
  }

  /** Coordinators have heard server 2 all the time: nobody says that it is back. */
  @Test
  void setsGrowAgainWhenAServerThatTasksDidNotReachWasLeftAloneForLongEnough() {
    scheduler.pass(Duration.ofSeconds(30));
    shuffles.add(replicated());
    Complaint missed = Complaint.ofServer(server(2), ErrorCode.CONNECT_FAILED);
    handling.changed(status(0, State.LOST));
    shuffles.leave(SHUFFLE, List.of(missed));
    assertThat(newest().replicas(newest().epochs() - 1)).isEqualTo(1);
    int small = newest().epochs();

    scheduler.pass(Duration.ofSeconds(20));
    servers.report(missed);
    scheduler.pass(Duration.ofSeconds(29));
    assertThat(newest().epochs()).as("missed again meanwhile").isEqualTo(small);
    scheduler.pass(Duration.ofSeconds(1));
    assertThat(newest().epochs()).isEqualTo(small + 1);
    assertThat(newest().replicas(small)).isEqualTo(2);
    assertThat(scheduler.waiting()).as("nothing more to look after").isZero();
  }

  @Test
  void setsGrowAgainWhenAStreamBeginsWithAServerThatIsBack() {
    shuffles.add(replicated());
    handling.changed(status(0, State.LOST));
    handling.changed(status(2, State.SUSPECT));
    shuffles.leave(SHUFFLE, List.of(Complaint.ofServer(server(2), ErrorCode.TIMED_OUT)));
    int small = newest().epochs();
    handling.unheard();
    handling.snapshot(
        List.of(status(0, State.LOST), status(1, State.ACTIVE), status(2, State.ACTIVE)));
    assertThat(newest().epochs()).isEqualTo(small + 1);
    assertThat(newest().replicas(small)).isEqualTo(2);
  }

  @Test
  void setsOfAShuffleThatIsWrittenStayAsTheyAre() {
    outputs.register(4, 104, ranMeanwhile(4, 104, 1, 2));
    shuffles.add(replicated());
    handling.changed(status(2, State.RESTARTING));
    shuffles.leave(SHUFFLE, List.of());

    handling.changed(status(2, State.ACTIVE));
    assertThat(newest().epochs()).isEqualTo(2);
  }

  private static FixedPlacement replicated() {
    return FixedPlacement.of(
        new ShuffleKey(ApplicationId.of(1, 1), SHUFFLE, 0),
        2,
        List.of(server(1), server(2)),
        2,
        new int[] {0, 1, 1, 0});
  }
}
