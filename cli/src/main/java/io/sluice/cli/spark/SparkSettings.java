package io.sluice.cli.spark;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What differs between the drivers we start; all else is Spark's default.
 *
 * @param master {@code local[N]} or {@code local-cluster[executors,cores,megabytes]}
 * @param heap heap of the driver's JVM, as {@code -Xmx} takes it; executors of a local cluster get
 *     all their worker's memory instead
 * @param properties Spark properties
 * @param clientJars jars that executors need on their class path from the start
 */
public record SparkSettings(
    String master, String heap, Map<String, String> properties, List<Path> clientJars) {
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[\\s*\\d+\\s*,\\s*\\d+\\s*,\\s*(\\d+)\\s*]");

  public SparkSettings {
    properties = Map.copyOf(properties);
    clientJars = List.copyOf(clientJars);
  }

  /** Spark's own shuffle. */
  public static SparkSettings sparkOwn(String master, String heap) {
    return new SparkSettings(master, heap, Map.of(), List.of());
  }

  /** The same with further properties, which win. */
  public SparkSettings with(Map<String, String> further) {
    Map<String, String> all = new TreeMap<>(properties);
    all.putAll(further);
    return new SparkSettings(master, heap, all, clientJars);
  }

  /** All properties to submit with, in a stable order. */
  public Map<String, String> effective() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put("spark.driver.memory", heap);
    Matcher cluster = LOCAL_CLUSTER.matcher(master);
    if (cluster.matches()) {
      all.put("spark.executor.memory", cluster.group(1) + "m");
    }
    all.put("spark.ui.enabled", "false");
    all.put("spark.ui.showConsoleProgress", "false");
    if (!clientJars.isEmpty()) {
      String classPath =
          String.join(
              ":", clientJars.stream().map(jar -> jar.toAbsolutePath().toString()).toList());
      all.put("spark.driver.extraClassPath", classPath);
      all.put("spark.executor.extraClassPath", classPath);
    }
    all.putAll(new TreeMap<>(properties));
    return all;
  }

  /** Arguments of {@code spark-submit} that say all this. */
  List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of("--master", master));
    effective()
        .forEach(
            (key, value) -> {
              arguments.add("--conf");
              arguments.add(key + "=" + value);
            });
    return arguments;
  }
}
