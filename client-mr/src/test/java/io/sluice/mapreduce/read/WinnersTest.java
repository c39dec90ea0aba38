package io.sluice.mapreduce.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.Test;

class WinnersTest {
  private final Winners winners = new Winners(3);

  private static TaskAttemptID attempt(int map, int number) {
    return new TaskAttemptID(new JobID("test", 1).getJtIdentifier(), 1, TaskType.MAP, map, number);
  }

  private void learn(int map, int number, Status status) {
    winners.learn(new TaskCompletionEvent(0, attempt(map, number), map, true, status, ""));
  }

  private static BitSet maps(int... maps) {
    BitSet set = new BitSet();
    for (int map : maps) {
      set.set(map);
    }
    return set;
  }

  @Test
  void anAttemptThatIsTakenBackBeforeItIsReadIsReplaced() {
    learn(1, 0, Status.SUCCEEDED);
    assertThat(winners.toRead()).isEqualTo(maps(1));
    learn(1, 0, Status.OBSOLETE);
    assertThat(winners.toRead()).isEqualTo(maps());
    learn(1, 1, Status.SUCCEEDED);
    assertThat(winners.winner(1)).isEqualTo(attempt(1, 1));
  }

  @Test
  void anAttemptThatHasBeenReadIsNotReadAgainForAnother() {
    learn(0, 0, Status.SUCCEEDED);
    winners.markRead(maps(0));
    learn(0, 0, Status.OBSOLETE);
    learn(0, 1, Status.SUCCEEDED);

    assertThat(winners.toRead()).isEqualTo(maps());
    assertThat(winners.readCount()).isEqualTo(1);
  }

  @Test
  void theNewestAttemptIsReadWhereAllHaveToBeReadAnew() {
    learn(0, 0, Status.SUCCEEDED);
    winners.markRead(maps(0));
    learn(0, 0, Status.OBSOLETE);
    learn(0, 1, Status.SUCCEEDED);
    winners.unread();

    assertThat(winners.toRead()).isEqualTo(maps(0));
    assertThat(winners.winner(0)).isEqualTo(attempt(0, 1));
  }

  @Test
  void theFailureOfAnotherAttemptChangesNothing() {
    learn(2, 1, Status.SUCCEEDED);
    learn(2, 0, Status.KILLED);
    assertThat(winners.toRead()).isEqualTo(maps(2));
  }

  @Test
  void whatIsMissingIsNotReadBeforeThereIsAnotherAttempt() {
    learn(0, 0, Status.SUCCEEDED);
    winners.markMissing(0);
    assertThat(winners.toRead()).isEqualTo(maps());
    assertThat(winners.missing()).isEqualTo(maps(0));
    learn(0, 0, Status.FAILED);
    assertThat(winners.missing()).isEqualTo(maps());
    learn(0, 1, Status.SUCCEEDED);
    assertThat(winners.toRead()).isEqualTo(maps(0));
  }

  @Test
  void aMapThatTheJobGoesOnWithoutIsNotWaitedFor() {
    learn(0, 0, Status.SUCCEEDED);
    learn(1, 0, Status.SUCCEEDED);
    assertThat(winners.allKnown()).isFalse();
    learn(2, 3, Status.TIPFAILED);
    assertThat(winners.allKnown()).isTrue();
    winners.markRead(maps(0, 1));
    assertThat(winners.allRead()).isTrue();
    assertThat(winners.readCount()).isEqualTo(2);
  }
}
