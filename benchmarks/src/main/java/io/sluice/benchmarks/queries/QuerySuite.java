package io.sluice.benchmarks.queries;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Enumeration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The query files that Spark ships with its tests; spelled as on the command line. */
enum QuerySuite {
  tpcds(
      Pattern.compile("(tpcds|tpcds-v2\\.7\\.0|tpcds-modifiedQueries)/(q\\d+[ab]?|ss_max)\\.sql"),
      // Joins, aggregates with and without keys, distinct, windows, rollup, intersect, union,
      // exists and correlated subqueries.
      "q1 q5 q14a q23a q31 q38 q47 q64 q67 q75 q78 q95"),
  tpch(Pattern.compile("(tpch)/(q\\d+)\\.sql"), "q1 q3 q5 q9 q13 q16 q18 q21");

  private static final Pattern NUMBER = Pattern.compile("q(\\d+)");

  // Of names: the first version, a newer one, and what Spark itself made of some queries.
  private static final List<String> KINDS = List.of("", "v2.7/", "modified/");

  private final Pattern files;
  private final String few;

  QuerySuite(Pattern files, String few) {
    this.files = files;
    this.few = few;
  }

  /** Names of a few that shuffle in different ways. */
  List<String> few() {
    return List.of(few.split(" "));
  }

  /**
   * All queries, kind by kind, each in the order of its numbers; what has none is last.
   *
   * @param jars folder with Spark's tests
   */
  List<Query> read(Path jars) throws IOException {
    Path jar = testsOfSql(jars);
    List<Query> queries = new ArrayList<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (Enumeration<? extends ZipEntry> e = zip.entries(); e.hasMoreElements(); ) {
        ZipEntry entry = e.nextElement();
        Matcher matcher = files.matcher(entry.getName());
        if (matcher.matches()) {
          queries.add(new Query(kindOf(matcher.group(1)) + matcher.group(2), text(zip, entry)));
        }
      }
    }
    if (queries.isEmpty()) {
      throw new IOException("no queries of " + this + " in " + jar);
    }
    queries.sort(
        Comparator.comparingInt(QuerySuite::kind)
            .thenComparingInt(QuerySuite::number)
            .thenComparing(Query::name));
    return List.copyOf(queries);
  }

  private static String kindOf(String folder) {
    return switch (folder) {
      case "tpcds-v2.7.0" -> KINDS.get(1);
      case "tpcds-modifiedQueries" -> KINDS.get(2);
      default -> KINDS.get(0);
    };
  }

  private static int kind(Query query) {
    return KINDS.indexOf(query.name().substring(0, query.name().indexOf('/') + 1));
  }

  private static int number(Query query) {
    Matcher matcher = NUMBER.matcher(query.name());
    return matcher.find() ? Integer.parseInt(matcher.group(1)) : Integer.MAX_VALUE;
  }

  private static String text(ZipFile zip, ZipEntry entry) throws IOException {
    try (InputStream in = zip.getInputStream(entry)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private static Path testsOfSql(Path jars) throws IOException {
    try (Stream<Path> files = Files.list(jars)) {
      return files
          .filter(file -> file.getFileName().toString().matches("spark-sql_.*-tests\\.jar"))
          .findFirst()
          .orElseThrow(() -> new IOException("no tests of spark-sql in " + jars));
    }
  }
}
