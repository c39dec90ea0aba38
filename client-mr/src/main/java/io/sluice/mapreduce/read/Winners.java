package io.sluice.mapreduce.read;

import java.util.BitSet;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.jspecify.annotations.Nullable;

/**
 * Which attempt of each map has won, as the application master says. An attempt may be taken back;
 * where its output has been read already that is of no concern, unless everything has to be read
 * once more: then it is the newest attempt that counts.
 */
final class Winners {
  private final @Nullable TaskAttemptID[] winners;
  private final BitSet read = new BitSet();
  private final BitSet withoutOutput = new BitSet();
  private final BitSet missing = new BitSet();

  Winners(int maps) {
    this.winners = new TaskAttemptID[maps];
  }

  /** Takes news of an attempt. */
  void learn(TaskCompletionEvent event) {
    TaskAttemptID attempt = event.getTaskAttemptId();
    int map = attempt.getTaskID().getId();
    if (!event.isMapTask() || map >= winners.length) {
      return;
    }
    switch (event.getTaskStatus()) {
      case SUCCEEDED:
        win(attempt);
        break;
      case TIPFAILED:
        // The job goes on without this map: mapreduce.map.failures.maxpercent.
        withoutOutput.set(map);
        lose(map);
        break;
      case FAILED:
      case KILLED:
      case OBSOLETE:
        if (attempt.equals(winners[map])) {
          lose(map);
        }
        break;
    }
  }

  /** An attempt has won. */
  void win(TaskAttemptID attempt) {
    int map = attempt.getTaskID().getId();
    winners[map] = attempt;
    missing.clear(map);
  }

  private void lose(int map) {
    winners[map] = null;
    missing.clear(map);
  }

  int maps() {
    return winners.length;
  }

  /** Maps whose winner is known and has not been read, and is not known to be missing. */
  BitSet toRead() {
    BitSet maps = new BitSet();
    for (int map = 0; map < winners.length; map++) {
      maps.set(map, winners[map] != null && !read.get(map) && !missing.get(map));
    }
    return maps;
  }

  TaskAttemptID winner(int map) {
    TaskAttemptID winner = winners[map];
    if (winner == null) {
      throw new IllegalStateException("map " + map + " has no winner");
    }
    return winner;
  }

  /** The winners of some maps have been read. */
  void markRead(BitSet maps) {
    read.or(maps);
  }

  /** The winner of a map is not to be had; until there is another one it is not read. */
  void markMissing(int map) {
    missing.set(map);
  }

  /** Maps whose winners are not to be had. */
  BitSet missing() {
    return (BitSet) missing.clone();
  }

  /** Nothing has been read. */
  void unread() {
    read.clear();
  }

  /** Maps that have been read. */
  int readCount() {
    return read.cardinality();
  }

  /** Whether every map has been read or has no output. */
  boolean allRead() {
    return done() == winners.length;
  }

  /** Whether every map that is not read yet can be read now. */
  boolean allKnown() {
    return done() + toRead().cardinality() == winners.length;
  }

  private int done() {
    BitSet done = (BitSet) read.clone();
    done.or(withoutOutput);
    return done.cardinality();
  }
}
