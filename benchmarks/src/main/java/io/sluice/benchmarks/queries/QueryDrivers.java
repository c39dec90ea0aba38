package io.sluice.benchmarks.queries;

import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.spark.JobFailedException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The drivers of both shuffles. What the compilers of a JVM decide early may stay with it, and so
 * with all that it runs: new drivers may take the place of both after so many queries. They begin
 * cold. Coordinator and servers stay. One thread.
 */
final class QueryDrivers implements AutoCloseable {
  /** Starts the drivers of one shuffle. */
  interface Starter {
    /**
     * Starts another driver.
     *
     * @param number of the drivers, one of each shuffle, that it is one of
     */
    QuerySide start(int number) throws IOException, ChildFailedException, InterruptedException;
  }

  /**
   * One driver of each shuffle, with the same tables open.
   *
   * @param number from 0
   */
  record Both(int number, QuerySide sluice, QuerySide own) {}

  private final Starter sluice;
  private final Starter own;
  private final int queriesEach;
  private @Nullable Both current;
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
  Both next(QueryTables tables)
      throws IOException, ChildFailedException, JobFailedException, InterruptedException {
    Both both = current;
    if (both == null || (queriesEach > 0 && queries == queriesEach)) {
      close();
      both = start(started++);
    }
    if (!tables.equals(open)) {
      open = null;
      both.own().open(tables);
      both.sluice().open(tables);
      open = tables;
    }
    queries++;
    return both;
  }

  private Both start(int number) throws IOException, ChildFailedException, InterruptedException {
    QuerySide first = sluice.start(number);
    try {
      current = new Both(number, first, own.start(number));
      return current;
    } finally {
      if (current == null) {
        first.close();
      }
    }
  }

  /** Ends the drivers there are. */
  @Override
  public void close() {
    Both both = current;
    current = null;
    open = null;
    queries = 0;
    if (both != null) {
      both.sluice().close();
      both.own().close();
    }
  }
}
