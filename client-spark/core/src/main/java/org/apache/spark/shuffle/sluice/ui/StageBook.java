package org.apache.spark.shuffle.sluice.ui;

import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which shuffle each stage writes, and which it reads: of the stages of jobs that run all, of
 * others the last {@value #LATE_MAX}, whose last tasks may end after their job. Beyond {@value
 * #JOBS_MAX} jobs the oldest counts as ended: a listener bus that cannot keep up drops ends too.
 * Used by one thread.
 */
final class StageBook {
  static final int LATE_MAX = 1_000;
  static final int JOBS_MAX = 10_000;

  private final Map<Integer, Stage> running = new HashMap<>();
  private final Map<Integer, int[]> jobs = new LinkedHashMap<>();
  private final LinkedHashMap<Integer, Stage> late = new LinkedHashMap<>();

  /** A stage as Spark describes it when a job begins. Immutable. */
  static final class Described {
    final int stageId;
    final @Nullable Integer writes;
    final List<Integer> parents;
    final int tasks;

    /**
     * @param writes id of the shuffle; null if it is a result stage
     * @param parents ids of stages
     */
    Described(int stageId, @Nullable Integer writes, List<Integer> parents, int tasks) {
      this.stageId = stageId;
      this.writes = writes;
      this.parents = List.copyOf(parents);
      this.tasks = tasks;
    }
  }

  /** What is known of a stage. */
  static final class Stage {
    final @Nullable Integer writes;

    /** Each shuffle that it reads, with the others that it reads beside it. */
    final Map<Integer, Set<Integer>> reads;

    private int jobs;

    private Stage(@Nullable Integer writes, Set<Integer> reads) {
      this.writes = writes;
      Map<Integer, Set<Integer>> withOthers = new LinkedHashMap<>();
      for (Integer shuffle : reads) {
        Set<Integer> others = new LinkedHashSet<>(reads);
        others.remove(shuffle);
        withOthers.put(shuffle, Collections.unmodifiableSet(others));
      }
      this.reads = Collections.unmodifiableMap(withOthers);
    }
  }

  /**
   * @param stages the job's, those that will be skipped included
   */
  void jobStarted(int jobId, List<Described> stages) {
    Map<Integer, Integer> written = new HashMap<>();
    for (Described stage : stages) {
      if (stage.writes != null) {
        written.put(stage.stageId, stage.writes);
      }
    }
    for (Described each : stages) {
      Stage stage = of(each.stageId);
      if (stage == null) {
        Set<Integer> reads = new LinkedHashSet<>();
        each.parents.forEach(parent -> addIfKnown(reads, written.get(parent)));
        stage = new Stage(each.writes, reads);
      }
      stage.jobs++;
      late.remove(each.stageId);
      running.put(each.stageId, stage);
    }
    jobs.put(jobId, stages.stream().mapToInt(stage -> stage.stageId).toArray());
    if (jobs.size() > JOBS_MAX) {
      jobEnded(jobs.keySet().iterator().next());
    }
  }

  private static void addIfKnown(Set<Integer> shuffles, @Nullable Integer shuffle) {
    if (shuffle != null) {
      shuffles.add(shuffle);
    }
  }

  void jobEnded(int jobId) {
    int[] ids = jobs.remove(jobId);
    if (ids == null) {
      return; // Its start was before ours, or Spark has dropped it, or it counted as ended.
    }
    for (int id : ids) {
      Stage stage = running.get(id);
      if (stage != null && --stage.jobs == 0) {
        running.remove(id);
        late.put(id, stage);
        if (late.size() > LATE_MAX) {
          late.remove(late.keySet().iterator().next());
        }
      }
    }
  }

  /** Null if it is not known, or not any more. */
  @Nullable Stage of(int stageId) {
    Stage stage = running.get(stageId);
    return stage == null ? late.get(stageId) : stage;
  }

  /** Stages that are known. */
  int size() {
    return running.size() + late.size();
  }
}
