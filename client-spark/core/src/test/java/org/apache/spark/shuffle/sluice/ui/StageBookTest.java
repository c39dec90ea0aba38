package org.apache.spark.shuffle.sluice.ui;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.spark.shuffle.sluice.ui.StageBook.Described;
import org.apache.spark.shuffle.sluice.ui.StageBook.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class StageBookTest {
  private final StageBook book = new StageBook();

  @Test
  void knowsWhatAStageWritesAndReads() {
    book.jobStarted(0, List.of(map(0, 7), map(1, 8), map(2, 9, 0, 1), result(3, 2)));
    assertThat(stage(0).writes).isEqualTo(7);
    assertThat(stage(0).reads).isEmpty();
    assertThat(stage(2).reads).containsExactly(Map.entry(7, Set.of(8)), Map.entry(8, Set.of(7)));
    assertThat(stage(3).writes).isNull();
    assertThat(stage(3).reads).containsExactly(Map.entry(9, Set.of()));
    assertThat(book.of(4)).isNull();
  }

  @Test
  void keepsStagesOfJobsThatRunAndSomeLateOnes() {
    book.jobStarted(0, List.of(map(0, 0)));
    for (int job = 1; job <= 3 * StageBook.LATE_MAX; job++) {
      book.jobStarted(job, List.of(map(job, job)));
      book.jobEnded(job);
    }
    assertThat(stage(0).writes).as("of a job that runs").isZero();
    assertThat(stage(3 * StageBook.LATE_MAX).writes).isEqualTo(3 * StageBook.LATE_MAX);
    assertThat(book.of(1)).isNull();
    assertThat(book.size()).isEqualTo(1 + StageBook.LATE_MAX);
  }

  @Test
  void aStageOfTwoJobsStaysUntilBothHaveEnded() {
    book.jobStarted(0, List.of(map(0, 5)));
    book.jobStarted(1, List.of(map(0, 5), result(1, 0)));
    book.jobEnded(0);
    for (int job = 2; job < 2 + 2 * StageBook.LATE_MAX; job++) {
      book.jobStarted(job, List.of(result(job)));
      book.jobEnded(job);
    }
    assertThat(stage(0).writes).isEqualTo(5);
    book.jobEnded(1);
    book.jobEnded(1);
    assertThat(book.size()).isEqualTo(StageBook.LATE_MAX);
  }

  @Test
  void jobsWhoseEndsAreDroppedDoNotStay() {
    book.jobStarted(0, List.of(map(0, 5)));
    book.jobStarted(1, List.of(map(0, 5), map(1, 6, 0)));
    int last = StageBook.JOBS_MAX + 2 * StageBook.LATE_MAX;
    for (int job = 2; job <= last; job++) {
      book.jobStarted(job, List.of(map(job, job)));
    }
    assertThat(book.size()).isEqualTo(StageBook.JOBS_MAX + StageBook.LATE_MAX);
    assertThat(book.of(0)).as("of the oldest two").isNull();
    assertThat(stage(last).writes).isEqualTo(last);

    book.jobEnded(0);
    book.jobEnded(last);
    assertThat(stage(last).writes).isEqualTo(last);
    assertThat(book.size()).isEqualTo(StageBook.JOBS_MAX + StageBook.LATE_MAX - 1);
  }

  @Test
  void aLateStageMayBeOfAJobAgain() {
    book.jobStarted(0, List.of(map(0, 5), map(1, 6, 0)));
    book.jobEnded(0);
    book.jobStarted(1, List.of(map(1, 6, 0)));
    assertThat(stage(1).reads.keySet())
        .as("though its parent is not of that job")
        .containsExactly(5);
    assertThat(book.size()).isEqualTo(2);
  }

  private Stage stage(int id) {
    return Objects.requireNonNull(book.of(id));
  }

  static Described map(int stage, int shuffle, Integer... parents) {
    return described(stage, shuffle, parents);
  }

  static Described result(int stage, Integer... parents) {
    return described(stage, null, parents);
  }

  private static Described described(int stage, @Nullable Integer writes, Integer... parents) {
    return new Described(stage, writes, List.of(parents), 4);
  }
}
