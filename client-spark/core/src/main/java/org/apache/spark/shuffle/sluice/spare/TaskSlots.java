package org.apache.spark.shuffle.sluice.spare;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;

/**
 * How many tasks Spark runs at once in a process. Spark keeps the number to itself, so it is read
 * from what the number comes from. Resource profiles of single stages are not in there.
 */
final class TaskSlots {
  private static final Pattern LOCAL =
      Pattern.compile("local(?:\\[\\s*(\\d+|\\*)\\s*(?:,.*)?\\])?");
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[\\s*\\d+\\s*,\\s*(\\d+)\\s*,.*\\]");

  private TaskSlots() {}

  /**
   * @param processors that the process may use: never are there more slots
   */
  static int of(SparkConf conf, int processors) {
    return Math.min(processors, cores(conf, processors)) / cpusOfTask(conf);
  }

  /**
   * As many as Spark is told to run, whatever there is for them.
   *
   * @param processors that the process may use
   */
  static int configured(SparkConf conf, int processors) {
    return cores(conf, processors) / cpusOfTask(conf);
  }

  private static int cpusOfTask(SparkConf conf) {
    return Math.max(1, conf.getInt("spark.task.cpus", 1));
  }

  private static int cores(SparkConf conf, int processors) {
    String master = conf.get("spark.master", "");
    Matcher local = LOCAL.matcher(master);
    if (local.matches()) {
      String threads = local.group(1);
      return threads == null ? 1 : threads.equals("*") ? processors : Integer.parseInt(threads);
    }
    Matcher localCluster = LOCAL_CLUSTER.matcher(master);
    int unless = processors; // a standalone executor has its worker's cores
    if (localCluster.matches()) {
      unless = Integer.parseInt(localCluster.group(1));
    } else if (master.startsWith("yarn") || master.startsWith("k8s:")) {
      unless = 1; // Spark's default there
    }
    return conf.getInt("spark.executor.cores", unless);
  }
}
