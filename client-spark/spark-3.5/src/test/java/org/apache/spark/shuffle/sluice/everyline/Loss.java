package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.Dependency;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkEnv;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.DiskBlockManager;
import org.apache.spark.storage.ShuffleDataBlockId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import scala.collection.Seq;

/** Map outputs that are gone while Spark believes in them, with either manager. */
final class Loss {
  private Loss() {}

  /** Loses what a map wrote: from the servers in the heap, or Spark's own files. */
  static void ofMap(int shuffleId, int map) {
    if (SparkEnv.get().shuffleManager() instanceof HeapShuffleManager) {
      HeapShuffleManager.currentStore().lose(shuffleId, map);
      return;
    }
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    long mapId = tracker.shuffleStatuses().get(shuffleId).get().mapStatuses()[map].mapId();
    DiskBlockManager disks = SparkEnv.get().blockManager().diskBlockManager();
    assertThat(disks.getFile(new ShuffleDataBlockId(shuffleId, mapId, 0)).delete()).isTrue();
    assertThat(disks.getFile(new ShuffleIndexBlockId(shuffleId, mapId, 0)).delete()).isTrue();
  }

  /** The shuffle that a data set's rows come out of. */
  static int shuffleOf(RDD<?> rdd) {
    return dependencyOf(rdd).shuffleId();
  }

  static ShuffleDependency<?, ?, ?> dependencyOf(RDD<?> rdd) {
    Seq<Dependency<?>> dependencies = rdd.dependencies();
    assertThat(dependencies.size()).isEqualTo(1);
    Dependency<?> only = dependencies.apply(0);
    return only instanceof ShuffleDependency
        ? (ShuffleDependency<?, ?, ?>) only
        : dependencyOf(only.rdd());
  }
}
