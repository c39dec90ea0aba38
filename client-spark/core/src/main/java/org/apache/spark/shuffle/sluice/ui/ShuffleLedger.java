package org.apache.spark.shuffle.sluice.ui;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.spark.shuffle.sluice.driver.ShuffleRoutes;
import org.jspecify.annotations.Nullable;

/**
 * What is counted of the shuffles of this application: of those that are registered all, of those
 * that were the last {@link ShuffleRoutes#ENDED_MAX}. Thread-safe; each step is short.
 */
final class ShuffleLedger {
  // All guarded by this.
  private final Map<Integer, ShuffleFigures> registered = new HashMap<>();
  private final LinkedHashMap<Integer, ShuffleFigures> ended = new LinkedHashMap<>();
  private final StageBook stages = new StageBook();
  private final Totals totals = new Totals();

  /** Of the whole application, shuffles that are forgotten included. */
  static final class Totals {
    long bytesWritten;
    long recordsWritten;
    long bytesWrittenLocally;
    long recordsWrittenLocally;
    long bytesRead;
    long recordsRead;
    long mapsAgain;
    long fetchFailures;
    long stageRetries;

    private Totals copy() {
      Totals copy = new Totals();
      copy.bytesWritten = bytesWritten;
      copy.recordsWritten = recordsWritten;
      copy.bytesWrittenLocally = bytesWrittenLocally;
      copy.recordsWrittenLocally = recordsWrittenLocally;
      copy.bytesRead = bytesRead;
      copy.recordsRead = recordsRead;
      copy.mapsAgain = mapsAgain;
      copy.fetchFailures = fetchFailures;
      copy.stageRetries = stageRetries;
      return copy;
    }
  }

  /**
   * A shuffle is registered, or once more after it was over: it is counted on then.
   *
   * @param local whether Spark's own shuffle serves it
   */
  synchronized void registered(int shuffleId, boolean local) {
    ShuffleFigures before = ended.remove(shuffleId);
    if (before != null) {
      before.again();
    }
    registered.put(shuffleId, before == null ? new ShuffleFigures(local) : before);
  }

  /**
   * A shuffle is over; unknown ones are ignored.
   *
   * @param servers that its epochs named, 0 if it was local
   */
  synchronized void ended(int shuffleId, int servers, int epochs) {
    ShuffleFigures figures = registered.remove(shuffleId);
    if (figures == null) {
      return;
    }
    figures.end(servers, epochs);
    ended.put(shuffleId, figures);
    if (ended.size() > ShuffleRoutes.ENDED_MAX) {
      ended.remove(ended.keySet().iterator().next());
    }
  }

  synchronized void jobStarted(int jobId, List<StageBook.Described> described) {
    stages.jobStarted(jobId, described);
    for (StageBook.Described stage : described) {
      ShuffleFigures figures = find(stage.writes);
      if (figures != null) {
        figures.maps = Math.max(figures.maps, stage.tasks);
      }
    }
  }

  synchronized void jobEnded(int jobId) {
    stages.jobEnded(jobId);
  }

  /** A stage that writes a shuffle begins once more. */
  synchronized void stageRetried(int shuffleId) {
    totals.stageRetries++;
    ShuffleFigures figures = find(shuffleId);
    if (figures != null) {
      figures.stageRetries++;
    }
  }

  synchronized void taskEnded(int stageId, TaskFigures task) {
    totals.bytesRead += task.bytesRead;
    totals.recordsRead += task.recordsRead;
    if (task.notFetched != null) {
      totals.fetchFailures++;
      ShuffleFigures missed = find(task.notFetched);
      if (missed != null) {
        missed.fetchFailures++;
      }
    }
    StageBook.Stage stage = stages.of(stageId);
    if (stage == null) {
      return;
    }
    written(find(stage.writes), task);
    for (Map.Entry<Integer, Set<Integer>> read : stage.reads.entrySet()) {
      ShuffleFigures figures = find(read.getKey());
      if (figures != null) {
        figures.readEnded(task, read.getValue());
      }
    }
  }

  private void written(@Nullable ShuffleFigures figures, TaskFigures task) {
    if (figures == null) {
      return;
    }
    long before = figures.mapsAgain;
    figures.mapEnded(task);
    totals.mapsAgain += figures.mapsAgain - before;
    if (figures.local) {
      totals.bytesWrittenLocally += task.bytesWritten;
      totals.recordsWrittenLocally += task.recordsWritten;
    } else {
      totals.bytesWritten += task.bytesWritten;
      totals.recordsWritten += task.recordsWritten;
    }
  }

  /** What map statuses say, looked at when a stage of maps has ended. */
  synchronized void measured(int shuffleId, PartitionSizes sizes) {
    ShuffleFigures figures = find(shuffleId);
    if (figures != null) {
      figures.sizes = sizes;
    }
  }

  private @Nullable ShuffleFigures find(@Nullable Integer shuffleId) {
    if (shuffleId == null) {
      return null;
    }
    ShuffleFigures figures = registered.get(shuffleId);
    return figures == null ? ended.get(shuffleId) : figures;
  }

  /** A copy of what is counted; of nothing if the shuffle is not known. */
  synchronized ShuffleFigures figures(int shuffleId) {
    ShuffleFigures figures = find(shuffleId);
    return figures == null ? new ShuffleFigures(false) : figures.copy();
  }

  /** A copy. */
  synchronized Totals totals() {
    return totals.copy();
  }
}
