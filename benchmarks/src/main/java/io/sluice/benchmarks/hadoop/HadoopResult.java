package io.sluice.benchmarks.hadoop;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a job did. Immutable.
 *
 * @param millis from submission to its end
 * @param digest of all that it wrote, in the order of partitions
 * @param counters by the names that Hadoop gives them, without those that are 0
 */
public record HadoopResult(String job, long millis, String digest, Map<String, Long> counters) {
  public HadoopResult {
    counters = Map.copyOf(counters);
  }

  static HadoopResult parse(String line) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String word : line.trim().split(" +")) {
      int equals = word.indexOf('=');
      values.put(word.substring(0, equals), word.substring(equals + 1));
    }
    String job = take(values, "job");
    long millis = Long.parseLong(take(values, "millis"));
    String digest = take(values, "digest");
    Map<String, Long> counters = new LinkedHashMap<>();
    values.forEach((name, value) -> counters.put(name, Long.parseLong(value)));
    return new HadoopResult(job, millis, digest, counters);
  }

  private static String take(Map<String, String> values, String name) {
    String value = values.remove(name);
    if (value == null) {
      throw new IllegalArgumentException("no " + name + " in " + values);
    }
    return value;
  }

  /** A counter; 0 if the job has not counted any. */
  public long counter(String name) {
    return counters.getOrDefault(name, 0L);
  }
}
