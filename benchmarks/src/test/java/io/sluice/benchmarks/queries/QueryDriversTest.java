package io.sluice.benchmarks.queries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.spark.JobFailedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryDriversTest {
  private static final QueryTables TPCH = new QueryTables(QuerySuite.tpch, 1, Path.of("h"));
  private static final QueryTables TPCDS = new QueryTables(QuerySuite.tpcds, 1, Path.of("ds"));

  private final List<String> events = new ArrayList<>();

  /** Writes down what happens to it. */
  private final class FakeSide implements QuerySide {
    private final String name;

    FakeSide(String name) {
      this.name = name;
      events.add(name + " starts");
    }

    @Override
    public void open(QueryTables tables) throws JobFailedException {
      if (tables.scale() < 0) {
        throw new JobFailedException("no such scale");
      }
      events.add(name + " opens " + tables.suite());
    }

    @Override
    public Ran run(Query query, boolean adaptive) {
      events.add(name + " runs " + query.name());
      return new Ran(new QueryAnswer(1, 0, 0, 0), new ResultRows(List.of(), List.of(), List.of()));
    }

    @Override
    public void close() {
      events.add(name + " ends");
    }
  }

  private QueryDrivers drivers(int queriesEach) {
    return new QueryDrivers(
        number -> new FakeSide("sluice" + number),
        number -> new FakeSide("own" + number),
        queriesEach);
  }

  private List<String> happened() {
    List<String> happened = List.copyOf(events);
    events.clear();
    return happened;
  }

  @Test
  void newDriversTakeThePlaceOfBothBehindAsManyQueriesAsTheyRunEach() throws Exception {
    QueryDrivers drivers = drivers(2);

    QueryDrivers.Both first = drivers.next(TPCH);
    assertThat(happened())
        .containsExactly("sluice0 starts", "own0 starts", "own0 opens tpch", "sluice0 opens tpch");
    assertThat(drivers.next(TPCH)).isSameAs(first);
    assertThat(happened()).isEmpty();
    QueryDrivers.Both second = drivers.next(TPCH);

    assertThat(second).isNotSameAs(first);
    assertThat(happened())
        .containsExactly(
            "sluice0 ends",
            "own0 ends",
            "sluice1 starts",
            "own1 starts",
            "own1 opens tpch",
            "sluice1 opens tpch");
  }

  @Test
  void theSameDriversRunAnyNumberOfQueriesOtherwise() throws Exception {
    QueryDrivers drivers = drivers(0);

    QueryDrivers.Both first = drivers.next(TPCH);
    for (int query = 0; query < 100; query++) {
      assertThat(drivers.next(TPCH)).isSameAs(first);
    }
    assertThat(happened()).hasSize(4);
    assertThat(drivers.next(TPCDS)).isSameAs(first);
    assertThat(happened()).containsExactly("own0 opens tpcds", "sluice0 opens tpcds");
  }

  @Test
  void runsOfOneQueryStayWithTheDriversThatBeganIt() throws Exception {
    QueryPairs pairs = new QueryPairs(drivers(1));
    Query query = new Query("q1", "select 1");

    assertThat(pairs.run(TPCH, query, true, 1, 1).equal()).isTrue();
    assertThat(happened())
        .containsSubsequence("sluice0 runs q1", "own0 runs q1", "own0 runs q1", "sluice0 runs q1");
    QueryOutcome second = pairs.run(TPCH, query, true, 0, 1);

    assertThat(second.equal()).isTrue();
    assertThat(second.drivers()).isEqualTo(1);
    assertThat(happened()).containsSubsequence("sluice0 ends", "own1 runs q1", "sluice1 runs q1");
  }

  @Test
  void aSuiteThatComesToNewDriversIsOpenedOnceOnThem() throws Exception {
    QueryDrivers drivers = drivers(1);
    drivers.next(TPCH);
    happened();

    drivers.next(TPCDS);

    assertThat(happened()).filteredOn(event -> event.contains("opens")).hasSize(2);
  }

  @Test
  void aDriverWhoseOtherDoesNotStartEnds() {
    QueryDrivers drivers =
        new QueryDrivers(
            number -> new FakeSide("sluice" + number),
            number -> {
              throw new IOException("no memory");
            },
            1);

    assertThatThrownBy(() -> drivers.next(TPCH)).hasMessage("no memory");
    assertThat(happened()).containsExactly("sluice0 starts", "sluice0 ends");
    assertThatThrownBy(() -> drivers.next(TPCH)).hasMessage("no memory");
    assertThat(happened()).containsExactly("sluice1 starts", "sluice1 ends");
  }

  @Test
  void theLastEndWithTheRun() throws Exception {
    try (QueryDrivers drivers = drivers(0)) {
      drivers.next(TPCH);
    }

    assertThat(happened()).endsWith("sluice0 ends", "own0 ends");
  }

  @Test
  void tablesThatCannotBeOpenedEndTheRunInsteadOfFailingEachOfItsQueries() {
    QueryTables none = new QueryTables(QuerySuite.tpch, -1, Path.of("h"));

    assertThatThrownBy(
            () -> new QueryPairs(drivers(0)).run(none, new Query("q1", "select 1"), true, 0, 1))
        .isInstanceOf(JobFailedException.class)
        .hasMessage("no such scale");
  }
}
