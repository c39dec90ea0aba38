package io.sluice.mapreduce.config;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/** The memory that Hadoop's own settings of a job give to its tasks, for both plug-ins. */
public final class JobMemory {
  /** A byte array is the most that sorts. */
  private static final int SORT_MAX_MB = 2047;

  private JobMemory() {}

  /**
   * Bytes of a map's sort buffer.
   *
   * @throws SluiceException INVALID_CONFIGURATION if mapreduce.task.io.sort.mb is not 1 to 2047
   */
  public static int sortBytes(Configuration job) {
    String name = MRJobConfig.IO_SORT_MB;
    try {
      int megabytes = job.getInt(name, MRJobConfig.DEFAULT_IO_SORT_MB);
      if (megabytes >= 1 && megabytes <= SORT_MAX_MB) {
        return megabytes << 20;
      }
    } catch (NumberFormatException notANumber) {
      // As bad as one that is out of bounds.
    }
    throw invalid(job, name, "1 to " + SORT_MAX_MB);
  }

  /**
   * The share of a reduce's heap that its merge may take for something.
   *
   * @param name {@link MRJobConfig#SHUFFLE_INPUT_BUFFER_PERCENT} or another share
   * @param otherwise where the job does not say
   * @throws SluiceException INVALID_CONFIGURATION if it is not 0 to 1
   */
  public static double share(Configuration job, String name, float otherwise) {
    try {
      float share = job.getFloat(name, otherwise);
      if (share >= 0 && share <= 1) {
        return share;
      }
    } catch (NumberFormatException notANumber) {
      // As bad as one that is out of bounds.
    }
    throw invalid(job, name, "0 to 1");
  }

  private static SluiceException invalid(Configuration job, String name, String allowed) {
    return new SluiceException(
        ErrorCode.INVALID_CONFIGURATION, name + "=" + job.get(name) + " is not " + allowed);
  }

  /** Tells what is wrong with any of them. */
  static void check(Configuration job, Consumer<String> problems) {
    report(() -> sortBytes(job), problems);
    report(() -> share(job, MRJobConfig.SHUFFLE_INPUT_BUFFER_PERCENT, 0), problems);
    report(() -> share(job, MRJobConfig.SHUFFLE_MERGE_PERCENT, 0), problems);
    report(() -> share(job, MRJobConfig.REDUCE_INPUT_BUFFER_PERCENT, 0), problems);
  }

  private static void report(Runnable reading, Consumer<String> problems) {
    try {
      reading.run();
    } catch (SluiceException e) {
      problems.accept(e.detail());
    }
  }
}
