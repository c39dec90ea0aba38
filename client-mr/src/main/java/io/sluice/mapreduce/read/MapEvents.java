package io.sluice.mapreduce.read;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskUmbilicalProtocol;

/** News of map attempts, asked for: Hadoop offers no way to wait for them. Used by one thread. */
abstract class MapEvents {
  /** Events of one answer, so that all reducers of a large job together fit the master's heap. */
  private static final int MAX_EVENTS = 10_000;

  private static final int MIN_EVENTS = 100;
  private static final int MAX_EVENTS_OF_ALL = 3_000_000;

  /** Tells what is new. */
  abstract void poll(Winners winners) throws IOException;

  /** Whether a map whose output is not to be had will run again. */
  abstract boolean mapsRunAgain();

  /** As the task's context gives them. */
  static MapEvents of(ShuffleConsumerPlugin.Context<?, ?> context) {
    Map<TaskAttemptID, MapOutputFile> local = context.getLocalMapFiles();
    return local == null ? new OfMaster(context) : new OfOneProcess(local);
  }

  /** Where one process runs all tasks, maps are over before reduces begin. */
  private static final class OfOneProcess extends MapEvents {
    private final Map<TaskAttemptID, MapOutputFile> maps;

    OfOneProcess(Map<TaskAttemptID, MapOutputFile> maps) {
      this.maps = maps;
    }

    @Override
    void poll(Winners winners) {
      maps.keySet().forEach(winners::win);
    }

    @Override
    boolean mapsRunAgain() {
      return false;
    }
  }

  private static final class OfMaster extends MapEvents {
    private final TaskUmbilicalProtocol master;
    private final TaskAttemptID reduce;
    private final JobID job;
    private final int atOnce;
    private int next;

    OfMaster(ShuffleConsumerPlugin.Context<?, ?> context) {
      this.master = context.getUmbilical();
      this.reduce = TaskAttemptID.downgrade(context.getReduceId());
      this.job = reduce.getJobID();
      int share = MAX_EVENTS_OF_ALL / Math.max(1, context.getJobConf().getNumReduceTasks());
      this.atOnce = Math.min(MAX_EVENTS, Math.max(MIN_EVENTS, share));
    }

    @Override
    void poll(Winners winners) throws IOException {
      TaskCompletionEvent[] events;
      do {
        events =
            master.getMapCompletionEvents(job, next, atOnce, reduce).getMapTaskCompletionEvents();
        next += events.length;
        for (TaskCompletionEvent event : events) {
          winners.learn(event);
        }
      } while (events.length == atOnce);
    }

    @Override
    boolean mapsRunAgain() {
      return true;
    }
  }
}
