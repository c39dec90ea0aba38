package io.sluice.benchmarks.queries;

import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import java.util.List;
import java.util.Locale;

/** All queries of a suite with one setting of AQE, for people and for scripts. */
record QueryReport(QuerySuite suite, double scale, boolean adaptive, List<QueryOutcome> outcomes) {
  QueryReport {
    outcomes = List.copyOf(outcomes);
  }

  boolean equal() {
    return outcomes.stream().allMatch(QueryOutcome::equal);
  }

  /** One line for each query, totals, then whatever differed. */
  String text() {
    TextTable table =
        new TextTable(
            suite + ", scale " + scale + ", AQE " + (adaptive ? "on" : "off"),
            "sluice s",
            "own s",
            "ratio",
            "rows",
            "shuffled",
            "result");
    for (QueryOutcome outcome : outcomes) {
      if (outcome.pairs().isEmpty()) {
        table.add(outcome.query().name(), "", "", "", "", "", "DIFFERS");
        continue;
      }
      table.add(
          outcome.query().name(),
          Units.seconds(outcome.sluiceSeconds()),
          Units.seconds(outcome.ownSeconds()),
          Units.ratio(outcome.ratio()),
          "" + outcome.lastOfSluice().rows(),
          Units.bytes(outcome.lastOfSluice().shuffleBytes()),
          outcome.tied() ? "equal (ties)" : "equal");
    }
    table.add(
        "all " + outcomes.size(),
        Units.seconds(sluiceSeconds()),
        Units.seconds(ownSeconds()),
        Units.ratio(geometricMean()),
        "",
        "",
        equal() ? "equal" : "DIFFER");
    StringBuilder text = new StringBuilder(table.toString());
    text.append(
        String.format(
            Locale.ROOT,
            "The ratio of all is the geometric mean of %d. %d gave no rows at this scale.%n",
            compared().size(),
            compared().stream().filter(outcome -> outcome.lastOfSluice().rows() == 0).count()));
    for (QueryOutcome outcome : outcomes) {
      if (!outcome.equal()) {
        text.append(outcome.query().name()).append(": ").append(outcome.problem()).append('\n');
      }
    }
    return text.toString();
  }

  /**
   * An object for all of them.
   *
   * @param spark version of Spark
   */
  String json(String spark) {
    return new JsonObject()
            .put("spark", spark)
            .put("suite", suite.name())
            .put("scale", scale)
            .put("query", "all")
            .put("aqe", adaptive)
            .put("equal", equal())
            .put("queries", outcomes.size())
            .put("sluice_s", sluiceSeconds())
            .put("own_s", ownSeconds())
            .put("ratio_wall", geometricMean())
        + "\n";
  }

  /** Of the ratios of all queries that were timed; not a number if none was. */
  double geometricMean() {
    return geometricMean(compared());
  }

  static double geometricMean(List<QueryOutcome> outcomes) {
    return Math.exp(
        outcomes.stream()
            .mapToDouble(outcome -> Math.log(outcome.ratio()))
            .average()
            .orElse(Double.NaN));
  }

  private double sluiceSeconds() {
    return compared().stream().mapToDouble(QueryOutcome::sluiceSeconds).sum();
  }

  private double ownSeconds() {
    return compared().stream().mapToDouble(QueryOutcome::ownSeconds).sum();
  }

  private List<QueryOutcome> compared() {
    return outcomes.stream().filter(QueryOutcome::timed).toList();
  }
}
