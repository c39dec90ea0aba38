package io.sluice.benchmarks.queries;

import io.sluice.benchmarks.paired.Distribution;
import io.sluice.cli.report.JsonObject;
import java.util.List;

/**
 * What came of one query on both sides.
 *
 * @param drivers number of the drivers that ran it
 * @param pairs at least one unless it failed
 * @param tied whether the limit cut among rows that are alike in what is ordered by, so that the
 *     rows were compared without it
 * @param problem what differed or failed; empty if nothing did
 */
record QueryOutcome(
    Query query, boolean adaptive, int drivers, List<Pair> pairs, boolean tied, String problem) {

  /** The same query on both sides, one right after the other. */
  record Pair(QueryAnswer sluice, QueryAnswer own) {}

  QueryOutcome {
    pairs = List.copyOf(pairs);
  }

  boolean equal() {
    return problem.isEmpty();
  }

  /** Whether it has times. */
  boolean timed() {
    return !pairs.isEmpty();
  }

  /** Median of Sluice's side, in seconds. */
  double sluiceSeconds() {
    return Distribution.of(pairs, pair -> pair.sluice().seconds()).median();
  }

  /** Median of Spark's own side, in seconds. */
  double ownSeconds() {
    return Distribution.of(pairs, pair -> pair.own().seconds()).median();
  }

  /** Median of the ratios within pairs. */
  double ratio() {
    return Distribution.of(pairs, pair -> pair.sluice().seconds() / pair.own().seconds()).median();
  }

  QueryAnswer lastOfSluice() {
    return pairs.get(pairs.size() - 1).sluice();
  }

  JsonObject json(String spark, QuerySuite suite, double scale) {
    JsonObject json =
        new JsonObject()
            .put("spark", spark)
            .put("suite", suite.name())
            .put("scale", scale)
            .put("query", query.name())
            .put("aqe", adaptive)
            .put("equal", equal())
            .put("tied", tied)
            .put("drivers", drivers)
            .put("pairs", pairs.size());
    return pairs.isEmpty()
        ? json
        : json.put("sluice_s", sluiceSeconds())
            .put("own_s", ownSeconds())
            .put("ratio_wall", ratio())
            .put("rows", lastOfSluice().rows())
            .put("shuffle_bytes", lastOfSluice().shuffleBytes());
  }
}
