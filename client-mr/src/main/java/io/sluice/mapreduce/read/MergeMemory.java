package io.sluice.mapreduce.read;

import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.config.JobMemory;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * How much memory a reduce task may merge in, by the settings of Hadoop's own shuffle and their
 * defaults: seven tenths of the heap for what is fetched, two thirds of which begin a merge to
 * disk, and nothing while the reducer runs. Immutable.
 */
final class MergeMemory {
  private final long mergeAt;
  private final long keepForReduce;
  private final int mergeFactor;

  private MergeMemory(long mergeAt, long keepForReduce, int mergeFactor) {
    this.mergeAt = mergeAt;
    this.keepForReduce = keepForReduce;
    this.mergeFactor = mergeFactor;
  }

  /**
   * @throws SluiceException INVALID_CONFIGURATION if a share is not 0 to 1
   */
  static MergeMemory of(Configuration job) {
    long heap =
        job.getLong(MRJobConfig.REDUCE_MEMORY_TOTAL_BYTES, Runtime.getRuntime().maxMemory());
    double buffer =
        JobMemory.share(
            job,
            MRJobConfig.SHUFFLE_INPUT_BUFFER_PERCENT,
            MRJobConfig.DEFAULT_SHUFFLE_INPUT_BUFFER_PERCENT);
    double merge =
        JobMemory.share(
            job, MRJobConfig.SHUFFLE_MERGE_PERCENT, MRJobConfig.DEFAULT_SHUFFLE_MERGE_PERCENT);
    double reduce = JobMemory.share(job, MRJobConfig.REDUCE_INPUT_BUFFER_PERCENT, 0);
    return new MergeMemory(
        (long) (heap * buffer * merge),
        (long) (heap * buffer * reduce),
        job.getInt(MRJobConfig.IO_SORT_FACTOR, MRJobConfig.DEFAULT_IO_SORT_FACTOR));
  }

  /** Bytes of runs in memory beyond which they are merged to disk. */
  long mergeAt() {
    return mergeAt;
  }

  /** Bytes of runs that may stay in memory while the reducer runs. */
  long keepForReduce() {
    return keepForReduce;
  }

  /** Files merged at a time. */
  int mergeFactor() {
    return mergeFactor;
  }
}
