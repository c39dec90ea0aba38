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
 * every run and with every query: where each has one run to be timed behind one to warm up, the
 * same side would go first in all that are timed, otherwise.
 */
final class QueryPairs {
  private final QueryDrivers drivers;
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
    List<Pair> pairs = new ArrayList<>();
    boolean tied = false;
    int number = queries++;
    QueryDrivers.Sides sides = drivers.next(tables);
    try {
      for (int i = 0; i < warmups + runs; i++) {
        Both both = both(sides, query, adaptive, sluiceGoesFirst(number, i));
        Optional<String> difference = both.difference();
        if (difference.isPresent()) {
          difference = beyondLimit(sides, query, adaptive, both, difference.get());
          tied = true;
        }
        if (difference.isPresent()) {
          return new QueryOutcome(query, adaptive, List.of(), tied, difference.get());
        }
        if (i >= warmups) {
          pairs.add(new Pair(both.sluice.answer(), both.own.answer()));
        }
      }
    } catch (JobFailedException failed) {
      return new QueryOutcome(
          query, adaptive, List.of(), tied, String.valueOf(failed.getMessage()));
    }
    return new QueryOutcome(query, adaptive, pairs, tied, "");
  }

  /** In a run of a query, both counted from 0. */
  static boolean sluiceGoesFirst(int query, int run) {
    return (query + run) % 2 == 0;
  }

  /** What differs without the limit, if it is only a tie at the limit that did. */
  private static Optional<String> beyondLimit(
      QueryDrivers.Sides sides, Query query, boolean adaptive, Both limited, String difference)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Optional<Query> whole = query.withoutLimit();
    if (whole.isEmpty()
        || limited.sluice.rows().rows().size() != limited.own.rows().rows().size()) {
      return Optional.of(difference);
    }
    return both(sides, whole.get(), adaptive, true).difference().map(d -> d + " (without limit)");
  }

  private static Both both(
      QueryDrivers.Sides sides, Query query, boolean adaptive, boolean sluiceFirst)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    if (sluiceFirst) {
      QuerySide.Ran first = sides.sluice().run(query, adaptive);
      return new Both(first, sides.own().run(query, adaptive));
    }
    QuerySide.Ran first = sides.own().run(query, adaptive);
    return new Both(sides.sluice().run(query, adaptive), first);
  }

  private record Both(QuerySide.Ran sluice, QuerySide.Ran own) {
    Optional<String> difference() {
      return ResultComparison.difference(own.rows(), sluice.rows());
    }
  }
}
