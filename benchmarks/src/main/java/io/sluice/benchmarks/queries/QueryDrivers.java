package io.sluice.benchmarks.queries;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The drivers of both shuffles. A driver's compilers decide early what they make fast and what not,
 * and stay with it, which moves all that it runs by some hundredths; so new ones may take the place
 * of both after so many queries. One thread.
 */
final class QueryDrivers {
  /** Starts the drivers of one shuffle. */
  interface Starter {
    /**
     * Starts another driver.
     *
     * @param number of drivers that this has started before
     */
    QuerySide start(int number) throws IOException, ChildFailedException, InterruptedException;
  }

  /** Both, with the same tables open. */
  record Sides(QuerySide sluice, QuerySide own) {}

  private final Starter sluice;
  private final Starter own;
  private final int queriesEach;
  private @Nullable Sides sides;
  private @Nullable QueryTables open;
  private int started;
  private int queries;

  /**
   * @param queriesEach that drivers run before new ones take their place; 0 for any number
   */
  QueryDrivers(Starter sluice, Starter own, int queriesEach) {
    this.sluice = sluice;
    this.own = own;
    this.queriesEach = queriesEach;
  }

  /** For one more query on these tables, which are made where they are not there. */
  Sides next(QueryTables tables)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Sides next = sides;
    if (next == null || (queriesEach > 0 && queries == queriesEach)) {
      next = fresh();
    }
    if (!tables.equals(open)) {
      next.own().open(tables);
      next.sluice().open(tables);
      open = tables;
    }
    queries++;
    return next;
  }

  private Sides fresh() throws IOException, ChildFailedException, InterruptedException {
    Sides before = sides;
    if (before != null) {
      sides = null;
      before.sluice().close();
      before.own().close();
    }
    open = null;
    queries = 0;
    Sides fresh = new Sides(sluice.start(started), own.start(started));
    sides = fresh;
    started++;
    return fresh;
  }
}
