package io.sluice.mapreduce.config;

import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** The two plug-ins that a job names. */
final class PlugIns {
  private static final String COLLECTOR = "io.sluice.mapreduce.SluiceMapOutputCollector";
  private static final String CONSUMER = "io.sluice.mapreduce.SluiceShuffle";

  private PlugIns() {}

  /** With one alone, or with another collector to fall back to, reducers would miss maps. */
  static void check(Configuration job, Consumer<String> problems) {
    require(job, MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR, COLLECTOR, problems);
    require(job, MRConfig.SHUFFLE_CONSUMER_PLUGIN, CONSUMER, problems);
  }

  private static void require(
      Configuration job, String setting, String plugIn, Consumer<String> problems) {
    String set = job.getTrimmed(setting, "");
    if (!set.equals(plugIn)) {
      problems.accept(
          setting
              + "=\""
              + set
              + "\": the two plug-ins of Sluice go together, so it has to be "
              + plugIn
              + " alone");
    }
  }
}
