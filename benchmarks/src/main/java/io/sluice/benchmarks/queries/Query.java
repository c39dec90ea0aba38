package io.sluice.benchmarks.queries;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A query of a suite.
 *
 * @param name such as {@code q1}, {@code v2.7/q1} or {@code modified/q3}
 */
record Query(String name, String sql) {
  private static final Pattern LIMIT =
      Pattern.compile("\\s+limit\\s+\\d+\\s*;?\\s*(?:--.*\\s*)*$", Pattern.CASE_INSENSITIVE);

  /**
   * The same without its limit, if it has one: which of several rows that are alike in what is
   * ordered by come before the limit, nobody promises.
   */
  Optional<Query> withoutLimit() {
    Matcher limit = LIMIT.matcher(sql);
    return limit.find()
        ? Optional.of(new Query(name, sql.substring(0, limit.start())))
        : Optional.empty();
  }

  /** As part of a file's name. */
  String fileName() {
    return name.replace('/', '-');
  }
}
