package org.apache.spark.shuffle.sluice.ui;

import static org.apache.spark.shuffle.sluice.ui.StageBookTest.map;
import static org.apache.spark.shuffle.sluice.ui.StageBookTest.result;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.apache.spark.shuffle.sluice.ui.TaskFigures.End;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ShuffleLedgerTest {
  private final ShuffleLedger ledger = new ShuffleLedger();

  @Test
  void addsUpWhatTasksWroteByTheWayTheirShuffleWent() {
    ledger.registered(0, false);
    ledger.registered(1, true);
    ledger.jobStarted(0, List.of(map(0, 0), map(1, 1)));
    ledger.taskEnded(0, wrote(End.DONE, 0, 100, 3));
    ledger.taskEnded(0, wrote(End.FAILED, 1, 50, 2));
    ledger.taskEnded(0, wrote(End.KILLED, 1, 5, 1));
    ledger.taskEnded(1, wrote(End.DONE, 0, 7, 1));

    ShuffleFigures figures = ledger.figures(0);
    assertThat(figures.bytesWritten).isEqualTo(155);
    assertThat(figures.recordsWritten).isEqualTo(6);
    assertThat(figures.attemptsFailed).isEqualTo(1);
    assertThat(figures.attemptsKilled).isEqualTo(1);
    assertThat(figures.maps).isEqualTo(4);
    assertThat(ledger.totals().bytesWritten).isEqualTo(155);
    assertThat(ledger.totals().bytesWrittenLocally).isEqualTo(7);
    assertThat(ledger.totals().recordsWrittenLocally).isEqualTo(1);
  }

  @Test
  void countsMapsThatEndedWellOnceMore() {
    ledger.registered(0, false);
    ledger.jobStarted(0, List.of(map(0, 0)));
    ledger.taskEnded(0, wrote(End.DONE, 0, 1, 1));
    ledger.taskEnded(0, wrote(End.FAILED, 1, 1, 1));
    ledger.taskEnded(0, wrote(End.DONE, 1, 1, 1));
    assertThat(ledger.figures(0).mapsAgain).isZero();
    ledger.stageRetried(0);
    ledger.taskEnded(0, wrote(End.DONE, 0, 1, 1));
    ledger.taskEnded(0, wrote(End.DONE, 0, 1, 1));
    assertThat(ledger.figures(0).mapsAgain).isEqualTo(2);
    assertThat(ledger.totals().mapsAgain).isEqualTo(2);
    assertThat(ledger.figures(0).stageRetries).isEqualTo(1);
    assertThat(ledger.totals().stageRetries).isEqualTo(1);
  }

  @Test
  void countsOnWhatWasOverAndIsUsedAgain() {
    ledger.registered(0, false);
    ledger.jobStarted(0, List.of(map(0, 0)));
    ledger.taskEnded(0, wrote(End.DONE, 0, 10, 1));
    ledger.ended(0, 2, 1);
    ledger.jobStarted(1, List.of(map(1, 0))); // Spark says so before a task asks for the place.
    ledger.registered(0, false);
    ledger.taskEnded(1, wrote(End.DONE, 0, 10, 1));

    ShuffleFigures figures = ledger.figures(0);
    assertThat(figures.maps).isEqualTo(4);
    assertThat(figures.bytesWritten).isEqualTo(20);
    assertThat(figures.mapsAgain).isZero(); // None was lost.
    ledger.taskEnded(1, wrote(End.DONE, 0, 10, 1));
    assertThat(ledger.figures(0).mapsAgain).isOne();
  }

  @Test
  void saysWhatWasReadTogetherApartFromWhatWasReadAlone() {
    ledger.registered(0, false);
    ledger.registered(1, false);
    ledger.jobStarted(0, List.of(map(0, 0), map(1, 1), result(2, 0, 1)));
    ledger.jobStarted(1, List.of(map(0, 0), result(3, 0)));
    ledger.taskEnded(2, read(1_000, 10));
    ledger.taskEnded(3, read(30, 2));

    ShuffleFigures first = ledger.figures(0);
    assertThat(first.bytesRead).isEqualTo(30);
    assertThat(first.recordsRead).isEqualTo(2);
    assertThat(first.bytesReadTogether).isEqualTo(1_000);
    assertThat(first.together).containsExactly(1);
    assertThat(ledger.figures(1).bytesRead).isZero();
    assertThat(ledger.figures(1).together).containsExactly(0);
    assertThat(ledger.totals().bytesRead).as("once").isEqualTo(1_030);
    assertThat(ledger.totals().recordsRead).isEqualTo(12);
  }

  @Test
  void countsFetchFailuresOfTheShuffleThatWasMissed() {
    ledger.registered(0, false);
    ledger.registered(1, false);
    ledger.jobStarted(0, List.of(map(0, 0), map(1, 1), result(2, 0, 1)));
    ledger.taskEnded(2, new TaskFigures(End.FAILED, 0, new long[] {0, 0}, new long[] {9, 1}, 1));
    assertThat(ledger.figures(0).fetchFailures).isZero();
    assertThat(ledger.figures(1).fetchFailures).isEqualTo(1);
    assertThat(ledger.totals().fetchFailures).isEqualTo(1);
  }

  @Test
  void keepsTheLastOfThoseThatWereAndForgetsTheOthers() {
    int shuffles = 3 * ShuffleRoutes.ENDED_MAX;
    for (int id = 0; id < shuffles; id++) {
      ledger.registered(id, false);
      ledger.jobStarted(id, List.of(map(id, id)));
      ledger.taskEnded(id, wrote(End.DONE, 0, 10, 1));
      ledger.ended(id, 3, 2);
      ledger.jobEnded(id);
    }
    assertThat(ledger.figures(0).bytesWritten).isZero();
    ShuffleFigures last = ledger.figures(shuffles - 1);
    assertThat(last.bytesWritten).isEqualTo(10);
    assertThat(last.servers).isEqualTo(3);
    assertThat(last.epochs).isEqualTo(2);
    assertThat(ledger.totals().bytesWritten).isEqualTo(10L * shuffles);

    ledger.taskEnded(shuffles - 1, wrote(End.DONE, 0, 5, 1));
    assertThat(ledger.figures(shuffles - 1).bytesWritten).as("a late task").isEqualTo(15);
    ledger.taskEnded(0, wrote(End.DONE, 0, 5, 1));
    ledger.ended(0, 1, 1);
    assertThat(ledger.figures(0).bytesWritten).as("forgotten").isZero();
  }

  private static TaskFigures wrote(End end, int partition, long bytes, long records) {
    return task(end, partition, new long[] {bytes, records}, new long[2], null);
  }

  private static TaskFigures read(long bytes, long records) {
    return task(End.DONE, 0, new long[2], new long[] {bytes, records}, null);
  }

  private static TaskFigures task(
      End end, int partition, long[] written, long[] read, @Nullable Integer notFetched) {
    return new TaskFigures(end, partition, written, read, notFetched);
  }
}
