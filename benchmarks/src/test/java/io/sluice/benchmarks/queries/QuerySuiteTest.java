package io.sluice.benchmarks.queries;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuerySuiteTest {
  private final Path jars;

  QuerySuiteTest(@TempDir Path jars) {
    this.jars = jars;
  }

  @Test
  void findsQueriesInTheOrderOfTheirNumbers() throws IOException {
    ship("tpcds/q10.sql", "tpcds/q2.sql", "tpcds-v2.7.0/q1.sql", "tpcds/q14b.sql", "tpch/q1.sql");

    assertThat(QuerySuite.tpcds.read(jars))
        .extracting(Query::name)
        .containsExactly("q2", "q10", "q14b", "v2.7/q1");
    assertThat(QuerySuite.tpch.read(jars)).containsExactly(new Query("q1", "select 'tpch/q1.sql'"));
  }

  @Test
  void tellsApartWhatSparkMadeOfQueries() throws IOException {
    ship(
        "tpcds-modifiedQueries/ss_max.sql",
        "tpcds-modifiedQueries/q10.sql",
        "tpcds-modifiedQueries/q3.sql",
        "tpcds-plan-stability/approved-plans-modified/q3/explain.txt",
        "tpcds-v2.7.0/q10.sql",
        "tpcds/q10.sql");

    assertThat(QuerySuite.tpcds.read(jars))
        .extracting(Query::name, Query::sql)
        .containsExactly(
            tuple("q10", "select 'tpcds/q10.sql'"),
            tuple("v2.7/q10", "select 'tpcds-v2.7.0/q10.sql'"),
            tuple("modified/q3", "select 'tpcds-modifiedQueries/q3.sql'"),
            tuple("modified/q10", "select 'tpcds-modifiedQueries/q10.sql'"),
            tuple("modified/ss_max", "select 'tpcds-modifiedQueries/ss_max.sql'"));
  }

  @Test
  void saysWhereNoQueriesAre() throws IOException {
    assertThatThrownBy(() -> QuerySuite.tpch.read(jars))
        .isInstanceOf(IOException.class)
        .hasMessage("no tests of spark-sql in " + jars);
    ship("tpcds/q1.sql");
    assertThatThrownBy(() -> QuerySuite.tpch.read(jars))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("no queries of tpch in ");
  }

  @Test
  void aLimitIsTakenFromTheEndAlone() {
    String inner = "select * from (select a from t limit 5)";
    assertThat(new Query("q1", inner + "\nLIMIT 100 ;\n").withoutLimit())
        .contains(new Query("q1", inner));
    assertThat(new Query("q1", inner + "\nlimit 100\n-- end query 1\n-- of 2 \n").withoutLimit())
        .contains(new Query("q1", inner));
    assertThat(new Query("q1", inner).withoutLimit()).isEmpty();
    assertThat(new Query("q1", inner + "\n--limit 9; -- was there\n-- end").withoutLimit())
        .isEmpty();
  }

  private void ship(String... files) throws IOException {
    Path jar = jars.resolve("spark-sql_2.12-3.5.9-tests.jar");
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      for (String file : List.of(files)) {
        zip.putNextEntry(new ZipEntry(file));
        zip.write(("select '" + file + "'").getBytes(UTF_8));
        zip.closeEntry();
      }
    }
  }
}
