package io.sluice.benchmarks.mapreduce;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;

/** A kind of job. */
interface Workload {
  /**
   * Sets everything but shuffle and number of reduces; makes what the job reads, if it reads files
   * that are not there yet.
   *
   * @param cluster without what the request says, for jobs that make files
   * @param data a folder for what is read
   */
  default void configure(Job job, JobRequest request, Configuration cluster, Path data, Path output)
      throws IOException, InterruptedException {
    job.getConfiguration().setLong(GeneratedInput.ROWS, request.rows());
    job.getConfiguration().setInt(GeneratedInput.MAPS, request.maps());
    job.setInputFormatClass(GeneratedInput.class);
    FileOutputFormat.setOutputPath(job, output);
    configure(job);
  }

  /** Sets what makes rows, and what is done with them. */
  void configure(Job job);

  /** The workload of a name. */
  static Workload named(String name) {
    return switch (name) {
      case "wordcount" -> new WordCount();
      case "sort" -> new RowSort();
      case "terasort" -> new TeraSort();
      case "secondary" -> new SecondarySort();
      default -> throw new IllegalArgumentException("no workload " + name);
    };
  }
}
