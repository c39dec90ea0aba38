package io.sluice.benchmarks.queries;

import io.sluice.benchmarks.paired.Distribution;
import io.sluice.cli.report.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the queries of all suites come to with one setting of AQE, each weighing as much as any
 * other; and with each pair of drivers alone, which says how much of that is the drivers'.
 */
record QueryTotals(boolean adaptive, List<QueryOutcome> outcomes) {
  QueryTotals {
    outcomes = List.copyOf(outcomes);
  }

  /** One line, or two where several drivers ran them. */
  String text() {
    List<QueryOutcome> timed = timed();
    String name =
        String.format(
            Locale.ROOT,
            "AQE %s, %d of %d queries",
            adaptive ? "on" : "off",
            timed.size(),
            outcomes.size());
    if (timed.isEmpty()) {
      return name + " timed.";
    }
    Distribution ratios = Distribution.of(timed, QueryOutcome::ratio);
    String all =
        String.format(
            Locale.ROOT,
            "%s: geometric mean %.3f, half of them from %.2f to %.2f.",
            name,
            QueryReport.geometricMean(timed),
            ratios.q1(),
            ratios.q3());
    Map<Integer, Double> each = eachDrivers();
    return each.size() == 1
        ? all
        : all
            + " By drivers: "
            + each.values().stream()
                .map(mean -> String.format(Locale.ROOT, "%.2f", mean))
                .collect(Collectors.joining(", "))
            + ".";
  }

  /**
   * An object for all; which drivers ran a query is in the query's own.
   *
   * @param spark version of Spark
   */
  String json(String spark, int warmups, int runs, int queriesEach) {
    return new JsonObject()
            .put("spark", spark)
            .put("suite", "all")
            .put("query", "all")
            .put("aqe", adaptive)
            .put("queries", outcomes.size())
            .put("timed", timed().size())
            .put("warmups", warmups)
            .put("runs", runs)
            .put("queries_each", queriesEach)
            .put("ratio_wall", QueryReport.geometricMean(timed()))
            .put("drivers", eachDrivers().size())
        + "\n";
  }

  private Map<Integer, Double> eachDrivers() {
    return timed().stream()
        .collect(
            Collectors.groupingBy(
                QueryOutcome::drivers,
                TreeMap::new,
                Collectors.collectingAndThen(Collectors.toList(), QueryReport::geometricMean)));
  }

  private List<QueryOutcome> timed() {
    return outcomes.stream().filter(QueryOutcome::timed).toList();
  }
}
