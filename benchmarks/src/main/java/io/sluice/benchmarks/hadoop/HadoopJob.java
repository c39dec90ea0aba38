package io.sluice.benchmarks.hadoop;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What is to be run. Immutable.
 *
 * @param workload {@code wordcount}, {@code sort}, {@code terasort} or {@code secondary}
 * @param rows rows that all maps make together
 * @param tellAt share of the maps that have ended when {@link HadoopProcess#awaitProgress} returns;
 *     above 1: never
 * @param properties of the job's configuration, without spaces
 */
public record HadoopJob(
    String workload,
    int maps,
    int reduces,
    long rows,
    double tellAt,
    Map<String, String> properties) {
  public HadoopJob {
    properties = Map.copyOf(properties);
  }

  /** A job with Hadoop's own shuffle, whose owner is told nothing before its end. */
  public HadoopJob(String workload, int maps, int reduces, long rows) {
    this(workload, maps, reduces, rows, 2, Map.of());
  }

  /** The same job through Sluice. */
  public HadoopJob through(String coordinators, Path clientJar) {
    return with(
        Map.of(
            "mapreduce.job.map.output.collector.class",
            "io.sluice.mapreduce.SluiceMapOutputCollector",
            "mapreduce.job.reduce.shuffle.consumer.plugin.class",
            "io.sluice.mapreduce.SluiceShuffle",
            "mapreduce.sluice.coordinator.quorum",
            coordinators,
            "tmpjars",
            clientJar.toUri().toString()));
  }

  /** The same job with further properties. */
  public HadoopJob with(Map<String, String> more) {
    Map<String, String> all = new HashMap<>(properties);
    all.putAll(more);
    return new HadoopJob(workload, maps, reduces, rows, tellAt, all);
  }

  /** The same job, of which is told when a share of its maps has ended. */
  public HadoopJob tellingAt(double share) {
    return new HadoopJob(workload, maps, reduces, rows, share, properties);
  }

  /**
   * @param number what its answers are known by
   */
  String format(int number) {
    StringBuilder line =
        new StringBuilder("number=" + number)
            .append(" workload=" + workload)
            .append(" maps=" + maps)
            .append(" reduces=" + reduces)
            .append(" rows=" + rows)
            .append(" tellAt=" + tellAt);
    new TreeMap<>(properties).forEach((name, value) -> line.append(' ' + name + '=' + value));
    return line.toString();
  }
}
