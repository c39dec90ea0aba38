package io.sluice.operations;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Every query of {@code deploy/prometheus} and {@code deploy/grafana}, and what it is about. */
public final class MonitoringQueries {
  // In this order nothing is left of a query but names, numbers and signs.
  private static final Pattern NO_METRICS =
      Pattern.compile(
          "\\{[^}]*\\}" // matchers
              + "|\\[[^]]*\\]" // ranges
              + "|\\boffset\\s+-?[0-9a-z]+"
              + "|\"[^\"]*\""
              + "|\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\([^)]*\\)");
  private static final Pattern NAME = Pattern.compile("([a-zA-Z_:][a-zA-Z0-9_:]*)(\\s*\\()?");
  private static final Set<String> WORDS = Set.of("and", "or", "unless", "bool", "Inf");

  /** Prometheus makes it itself. */
  private static final String SCRAPED = "up";

  private final List<String> queries = new ArrayList<>();
  private final Set<String> recorded = new TreeSet<>();

  private MonitoringQueries() {}

  /** As the source tree has them. */
  public static MonitoringQueries read() throws IOException {
    MonitoringQueries all = new MonitoringQueries();
    for (Path file : rules()) {
      for (Yaml group : Yaml.read(file).each("groups")) {
        for (Yaml rule : group.each("rules")) {
          all.queries.add(rule.at("expr").text());
          if (rule.has("record")) {
            all.recorded.add(rule.at("record").text());
          }
        }
      }
    }
    for (Path file : dashboards()) {
      for (Yaml panel : Yaml.read(file).each("panels")) {
        panel.each("targets").forEach(target -> all.queries.add(target.at("expr").text()));
      }
    }
    return all;
  }

  static List<Path> rules() {
    return List.of(
        Distribution.file("deploy/prometheus/sluice-recording.yml"),
        Distribution.file("deploy/prometheus/sluice-alerts.yml"));
  }

  static List<Path> dashboards() throws IOException {
    try (Stream<Path> files = Files.list(Distribution.file("deploy/grafana"))) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    }
  }

  /** All of them, of which variables of dashboards stand for anything. */
  public List<String> queries() {
    return queries.stream().map(query -> query.replace("=\"$instance\"", "=~\".*\"")).toList();
  }

  /** Metrics that processes have to expose. */
  public Set<String> metrics() {
    Set<String> names = new TreeSet<>();
    for (String query : queries) {
      names.addAll(names(query));
    }
    names.removeAll(recorded);
    names.remove(SCRAPED);
    return names;
  }

  static Set<String> names(String query) {
    Set<String> names = new TreeSet<>();
    Matcher name = NAME.matcher(NO_METRICS.matcher(query).replaceAll(" "));
    while (name.find()) {
      boolean function = name.group(2) != null;
      if (!function && !WORDS.contains(name.group(1))) {
        names.add(name.group(1));
      }
    }
    return names;
  }
}
