package org.apache.spark.shuffle.sluice.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.spark.Partition;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.TaskContext$;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.shuffle.sluice.LocalSpark;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.Function1;
import scala.collection.Iterator;
import scala.collection.Iterator$;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

@Timeout(value = 2, unit = TimeUnit.MINUTES)
class TaskAttemptsTest {
  private static final int TASKS = 2;
  private static final ClassTag<Boolean> TAG = ClassTag$.MODULE$.apply(Boolean.class);

  /** The context is of attempt 0. */
  @Test
  void knowsWhichAttemptIsTheLast() {
    assertThat(isFirstTheLast("spark://host:7077", "4")).isFalse();
    assertThat(isFirstTheLast("local-cluster[2,1,1024]", "2")).isFalse();
    assertThat(isFirstTheLast("yarn", "1")).isTrue();
    assertThat(isFirstTheLast("local[4]", "4")).as("one process").isTrue();
  }

  /** Spark may end a job before a task has failed as often as it may. */
  @Test
  void everyAttemptMayBeTheLastWhereExecutorsAreExcluded() {
    for (String key : List.of("excludeOnFailure.enabled", "blacklist.enabled")) {
      SparkConf conf = new SparkConf(false).set("spark.master", "yarn").set("spark." + key, "true");
      assertThat(TaskAttempts.of(conf).isLast(TaskContext$.MODULE$.empty())).as(key).isTrue();
    }
  }

  /** As a task is asked that reads a shuffle in the middle of its stage. */
  @Test
  void everyAttemptOfABarrierStageMayBeTheLast() {
    SparkConf conf = LocalSpark.conf("local[" + TASKS + "]");
    try (JavaSparkContext spark = new JavaSparkContext(conf)) {
      RDD<Boolean> asked = new Asked(spark.parallelize(List.of(0, 1), TASKS).rdd());
      assertThat(asked.toJavaRDD().collect()).containsExactly(false, false);
      assertThat(atOnce(asked).toJavaRDD().collect()).containsExactly(true, true);
    }
  }

  private static RDD<Boolean> atOnce(RDD<Boolean> rdd) {
    return rdd.barrier()
        .mapPartitions(
            (Function1<Iterator<Boolean>, Iterator<Boolean>> & Serializable) rows -> rows,
            false,
            TAG);
  }

  private static boolean isFirstTheLast(String master, String maxFailures) {
    SparkConf conf = new SparkConf(false);
    conf.set("spark.master", master).set("spark.task.maxFailures", maxFailures);
    return TaskAttempts.of(conf).isLast(TaskContext$.MODULE$.empty());
  }

  /** Of each partition, whether its attempt would be the last in a cluster as by default. */
  private static final class Asked extends RDD<Boolean> {
    private static final long serialVersionUID = 1;

    Asked(RDD<?> parent) {
      super(parent, TAG);
    }

    @Override
    public Iterator<Boolean> compute(Partition split, TaskContext context) {
      SparkConf cluster = new SparkConf(false).setMaster("spark://host:7077");
      return Iterator$.MODULE$.single(TaskAttempts.of(cluster).isLast(context));
    }

    @Override
    public Partition[] getPartitions() {
      return dependencies().apply(0).rdd().partitions();
    }
  }
}
