package io.sluice.benchmarks.mapreduce;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What is to be run: one line of {@code name=value} without spaces.
 *
 * @param number what its answers are known by
 * @param workload see {@link Workload#named}
 * @param maps map tasks
 * @param reduces reduce tasks
 * @param rows rows that all maps make together
 * @param tellAt share of the maps that have ended when its owner wants to hear of it; above 1:
 *     never
 * @param properties of the job's configuration
 */
record JobRequest(
    int number,
    String workload,
    int maps,
    int reduces,
    long rows,
    double tellAt,
    Map<String, String> properties) {
  JobRequest {
    properties = Map.copyOf(properties);
  }

  static JobRequest parse(String line) {
    Map<String, String> values = new LinkedHashMap<>();
    for (String word : line.trim().split(" +")) {
      int equals = word.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException(word + " is not name=value");
      }
      values.put(word.substring(0, equals), word.substring(equals + 1));
    }
    return new JobRequest(
        Integer.parseInt(take(values, "number")),
        take(values, "workload"),
        Integer.parseInt(take(values, "maps")),
        Integer.parseInt(take(values, "reduces")),
        Long.parseLong(take(values, "rows")),
        Double.parseDouble(values.containsKey("tellAt") ? take(values, "tellAt") : "2"),
        values);
  }

  private static String take(Map<String, String> values, String name) {
    String value = values.remove(name);
    if (value == null) {
      throw new IllegalArgumentException(name + " is missing");
    }
    return value;
  }
}
