package org.apache.spark.shuffle.sluice.ui;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.apache.spark.FetchFailed;
import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.shuffle.sluice.line.SeqGetter;
import org.apache.spark.shuffle.sluice.ui.TaskFigures.End;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Spark's events into the ledger. It hears them in the queue in which Spark's own stages page does,
 * so what one of them misses because Spark drops events the other misses too.
 *
 * <p>A class or method that a vendor's Spark does not have is a {@link LinkageError}, which Spark
 * takes for fatal: it would end the application. So it ends the counting instead, with a line in
 * the log. Used by the queue's thread.
 */
final class LedgerListener extends SparkListener {
  private static final SeqGetter STAGES = SeqGetter.of(SparkListenerJobStart.class, "stageInfos");
  private static final SeqGetter PARENTS = SeqGetter.of(StageInfo.class, "parentIds");

  private static final Logger LOG = LoggerFactory.getLogger(LedgerListener.class);

  private final ShuffleLedger ledger;
  private final IntFunction<MapSizes.@Nullable Seen> sizes;
  private boolean broken;

  /**
   * @param sizes what was seen of a shuffle's map outputs
   */
  LedgerListener(ShuffleLedger ledger, IntFunction<MapSizes.@Nullable Seen> sizes) {
    this.ledger = ledger;
    this.sizes = sizes;
  }

  private void count(Runnable event) {
    if (broken) {
      return;
    }
    try {
      event.run();
    } catch (LinkageError e) {
      broken = true;
      LOG.warn("The Sluice tab counts no more: this Spark is not as expected", e);
    }
  }

  @Override
  public void onJobStart(SparkListenerJobStart job) {
    count(() -> jobStarted(job));
  }

  private void jobStarted(SparkListenerJobStart job) {
    List<StageBook.Described> described = new ArrayList<>();
    for (StageInfo stage : STAGES.get(job, StageInfo.class)) {
      described.add(
          new StageBook.Described(
              stage.stageId(),
              shuffle(stage),
              PARENTS.get(stage, Integer.class),
              stage.numTasks()));
    }
    ledger.jobStarted(job.jobId(), described);
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd job) {
    count(() -> ledger.jobEnded(job.jobId()));
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    count(() -> stageSubmitted(submitted));
  }

  private void stageSubmitted(SparkListenerStageSubmitted submitted) {
    Integer shuffle = shuffle(submitted.stageInfo());
    if (shuffle != null && submitted.stageInfo().attemptNumber() > 0) {
      ledger.stageRetried(shuffle);
    }
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    count(() -> stageCompleted(completed));
  }

  private void stageCompleted(SparkListenerStageCompleted completed) {
    Integer shuffle = shuffle(completed.stageInfo());
    MapSizes.@Nullable Seen now = shuffle == null ? null : sizes.apply(shuffle);
    if (shuffle != null && now != null) {
      ledger.measured(shuffle, now.spread);
    }
  }

  private static @Nullable Integer shuffle(StageInfo stage) {
    Option<Object> shuffle = stage.shuffleDepId();
    return shuffle.isEmpty() ? null : (Integer) shuffle.get();
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd task) {
    count(() -> taskEnded(task));
  }

  private void taskEnded(SparkListenerTaskEnd task) {
    TaskMetrics metrics = task.taskMetrics();
    long[] written = new long[2];
    long[] read = new long[2];
    if (metrics != null) { // Of attempts that were lost with their executor there are none.
      written[0] = metrics.shuffleWriteMetrics().bytesWritten();
      written[1] = metrics.shuffleWriteMetrics().recordsWritten();
      read[0] = metrics.shuffleReadMetrics().totalBytesRead();
      read[1] = metrics.shuffleReadMetrics().recordsRead();
    }
    TaskEndReason reason = task.reason();
    Integer notFetched =
        reason instanceof FetchFailed ? Integer.valueOf(((FetchFailed) reason).shuffleId()) : null;
    ledger.taskEnded(
        task.stageId(),
        new TaskFigures(end(reason), task.taskInfo().partitionId(), written, read, notFetched));
  }

  private static End end(TaskEndReason reason) {
    if (reason == Success$.MODULE$) {
      return End.DONE;
    }
    return reason instanceof TaskKilled ? End.KILLED : End.FAILED;
  }
}
