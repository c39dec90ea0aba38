package org.apache.spark.shuffle.sluice.ui;

import java.util.BitSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What is counted of one shuffle. The one in the ledger is guarded by it; copies are whoever's
 * asked for them. Some 300 bytes, and while it is registered one bit a map.
 */
final class ShuffleFigures {
  /** Shuffles whose numbers are kept that were read together with this one. */
  private static final int TOGETHER_MAX = 8;

  final boolean local;
  int maps;
  long bytesWritten;
  long recordsWritten;

  /** Read by stages that read nothing else. */
  long bytesRead;

  long recordsRead;

  /** Read by stages that read others as well, those others' included. */
  long bytesReadTogether;

  final Set<Integer> together = new TreeSet<>();
  long mapsAgain;
  long attemptsFailed;
  long attemptsKilled;
  long fetchFailures;
  long stageRetries;

  /** Servers and epochs of a shuffle in Sluice that has ended; 0 before. */
  int servers;

  int epochs;

  @Nullable PartitionSizes sizes;

  // Maps that ended well; null once the shuffle is over.
  private @Nullable BitSet done = new BitSet();

  /**
   * @param local whether Spark's own shuffle serves it
   */
  ShuffleFigures(boolean local) {
    this.local = local;
  }

  ShuffleFigures copy() {
    ShuffleFigures copy = new ShuffleFigures(local);
    copy.maps = maps;
    copy.bytesWritten = bytesWritten;
    copy.recordsWritten = recordsWritten;
    copy.bytesRead = bytesRead;
    copy.recordsRead = recordsRead;
    copy.bytesReadTogether = bytesReadTogether;
    copy.together.addAll(together);
    copy.mapsAgain = mapsAgain;
    copy.attemptsFailed = attemptsFailed;
    copy.attemptsKilled = attemptsKilled;
    copy.fetchFailures = fetchFailures;
    copy.stageRetries = stageRetries;
    copy.servers = servers;
    copy.epochs = epochs;
    copy.sizes = sizes;
    copy.done = null;
    return copy;
  }

  /** A map attempt ended. */
  void mapEnded(TaskFigures task) {
    bytesWritten += task.bytesWritten;
    recordsWritten += task.recordsWritten;
    switch (task.end) {
      case DONE:
        if (done != null) {
          mapsAgain += done.get(task.partition) ? 1 : 0;
          done.set(task.partition);
        }
        break;
      case FAILED:
        attemptsFailed++;
        break;
      case KILLED:
        attemptsKilled++;
        break;
    }
  }

  /** A task that reads this shuffle, and maybe others, ended. */
  void readEnded(TaskFigures task, Set<Integer> others) {
    if (others.isEmpty()) {
      bytesRead += task.bytesRead;
      recordsRead += task.recordsRead;
      return;
    }
    bytesReadTogether += task.bytesRead;
    for (Integer other : others) {
      if (together.size() < TOGETHER_MAX) {
        together.add(other);
      }
    }
  }

  /** The shuffle is used again after it was over: its maps all run, and none of them for a loss. */
  void again() {
    servers = 0;
    epochs = 0;
    done = new BitSet();
  }

  /** The shuffle is over. */
  void end(int serversUsed, int epochsMade) {
    servers = serversUsed;
    epochs = epochsMade;
    done = null;
  }
}
