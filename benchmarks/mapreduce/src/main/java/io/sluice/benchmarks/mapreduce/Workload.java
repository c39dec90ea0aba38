package io.sluice.benchmarks.mapreduce;

import org.apache.hadoop.mapreduce.Job;

/** A kind of job. */
interface Workload {
  /** Sets everything but shuffle, input and output. */
  void configure(Job job);

  /** The workload of a name. */
  static Workload named(String name) {
    return switch (name) {
      case "wordcount" -> new WordCount();
      case "terasort" -> new TeraSort();
      case "secondary" -> new SecondarySort();
      default -> throw new IllegalArgumentException("no workload " + name);
    };
  }
}
