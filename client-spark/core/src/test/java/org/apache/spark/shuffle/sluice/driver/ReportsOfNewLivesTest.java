package org.apache.spark.shuffle.sluice.driver;

import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.server;
import static org.apache.spark.shuffle.sluice.driver.LiveShufflesTest.status;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readers' reports that name a life of a server which the driver has not heard of yet. */
class ReportsOfNewLivesTest extends ServerLostInMapPhase {
  /** Its data port answers readers before the coordinator's news are here. */
  @Test
  void aReportOfALifeThatIsNotKnownYetWaitsForTheNews() {
    List<List<Integer>> answers = new ArrayList<>();
    List<PlacedServer> met = List.of(back().server());
    handling.whenKnown(met, () -> answers.add(outputs.registered()));
    handling.whenKnown(List.of(server(1)), () -> answers.add(List.of()));
    assertThat(answers).as("of one that is known").containsExactly(List.of());

    onDisk.complete(whole(0, 100));
    handling.changed(back());
    assertThat(answers).containsExactly(List.of(), List.of(0, 2, 3));
    handling.whenKnown(met, () -> answers.add(List.of(7)));
    scheduler.pass(Duration.ofSeconds(10));
    assertThat(answers).as("each once").containsExactly(List.of(), List.of(0, 2, 3), List.of(7));
  }

  /** The news are in the book, and what was lost is still to be dealt with. */
  @Test
  void aReportOfALifeThatHasJustBecomeKnownIsAnsweredWhenItsLossesAreDealtWith() {
    List<List<Integer>> answers = new ArrayList<>();
    onDisk.complete(whole(0, 100));
    scheduler.together(
        () -> {
          handling.whenKnown(List.of(back().server()), () -> answers.add(outputs.registered()));
          handling.changed(back());
        });
    assertThat(answers).containsExactly(List.of(0, 2, 3));
  }

  @Test
  void aReportThatCannotBeAnsweredKeepsNoOtherAndLeavesNoDeadline() {
    List<List<Integer>> answers = new ArrayList<>();
    List<PlacedServer> met = List.of(back().server());
    int others = scheduler.waiting();
    handling.whenKnown(
        met,
        () -> {
          throw new IllegalStateException("says the test");
        });
    scheduler.pass(Duration.ofSeconds(1));
    handling.whenKnown(met, () -> answers.add(outputs.registered()));
    assertThat(scheduler.waiting()).isEqualTo(others + 2);

    onDisk.complete(whole(0, 100));
    handling.changed(back());
    assertThat(answers).containsExactly(List.of(0, 2, 3));
    assertThat(scheduler.waiting()).isEqualTo(others);
  }

  @Test
  void aReportOfALifeThatNobodyTellsOfWaitsForSecondsOnly() {
    List<List<Integer>> answers = new ArrayList<>();
    handling.whenKnown(List.of(back().server()), () -> answers.add(outputs.registered()));
    handling.changed(status(1, State.ACTIVE));
    scheduler.pass(Duration.ofSeconds(4));
    assertThat(answers).isEmpty();
    scheduler.pass(Duration.ofSeconds(1));
    assertThat(answers).containsExactly(List.of(0, 1, 2, 3));
  }
}
