package io.sluice.benchmarks.queries;

import io.sluice.benchmarks.queries.QueryOutcome.Pair;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs queries on both sides in turns, and compares what they give. Who goes first changes with
 * every run, with every query and with every new pair of drivers: where each query has one run to
 * be timed behind one to warm up, the same side would go first in all that are timed, or in all
 * that cold drivers run first, otherwise.
 */
final class QueryPairs {
  private final QueryDrivers drivers;
  private int newest = -1;
  // That the newest drivers have run.
  private int queries;

  QueryPairs(QueryDrivers drivers) {
    this.drivers = drivers;
  }

  /**
   * Runs a query on these tables.
   *
   * @param warmups runs that are compared, and not timed
   * @param runs that are compared and timed
   * @throws JobFailedException if the tables cannot be opened; a query that fails is an outcome
   */
  QueryOutcome run(QueryTables tables, Query query, boolean adaptive, int warmups, int runs)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    QueryDrivers.Both by = drivers.next(tables);
    if (by.number() != newest) {
      newest = by.number();
      queries = 0;
    }
    int number = queries++;
    List<Pair> pairs = new ArrayList<>();
    boolean tied = false;
    String problem = "";
    try {
      for (int i = 0; i < warmups + runs && problem.isEmpty(); i++) {
        Runs both = both(by, query, adaptive, sluiceGoesFirst(newest, number, i));
        Optional<String> difference = both.difference();
        if (difference.isPresent()) {
          problem = beyondLimit(by, query, adaptive, both, difference.get()).orElse("");
          tied = true;
        }
        if (i >= warmups) {
          pairs.add(new Pair(both.sluice.answer(), both.own.answer()));
        }
      }
    } catch (JobFailedException failed) {
      problem = String.valueOf(failed.getMessage());
    }
    return new QueryOutcome(
        query, adaptive, newest, problem.isEmpty() ? pairs : List.of(), tied, problem);
  }

  /** In a run of a query of these drivers, all counted from 0. */
  static boolean sluiceGoesFirst(int drivers, int query, int run) {
    return (drivers + query + run) % 2 == 0;
  }

  /** What differs without the limit, if it is only a tie at the limit that did. */
  private static Optional<String> beyondLimit(
      QueryDrivers.Both by, Query query, boolean adaptive, Runs limited, String difference)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Optional<Query> whole = query.withoutLimit();
    if (whole.isEmpty()
        || limited.sluice.rows().rows().size() != limited.own.rows().rows().size()) {
      return Optional.of(difference);
    }
    return both(by, whole.get(), adaptive, true).difference().map(d -> d + " (without limit)");
  }

  private static Runs both(QueryDrivers.Both by, Query query, boolean adaptive, boolean sluiceFirst)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    if (sluiceFirst) {
      QuerySide.Ran first = by.sluice().run(query, adaptive);
      return new Runs(first, by.own().run(query, adaptive));
    }
    QuerySide.Ran first = by.own().run(query, adaptive);
    return new Runs(by.sluice().run(query, adaptive), first);
  }

  private record Runs(QuerySide.Ran sluice, QuerySide.Ran own) {
    Optional<String> difference() {
      return ResultComparison.difference(own.rows(), sluice.rows());
    }
  }
}
