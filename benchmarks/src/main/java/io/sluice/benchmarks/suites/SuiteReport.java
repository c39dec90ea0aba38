package io.sluice.benchmarks.suites;

import io.sluice.benchmarks.suites.TestResult.Outcome;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import java.util.List;
import java.util.Locale;

/**
 * What all suites did, for people and for scripts.
 *
 * @param spark version of Spark
 */
record SuiteReport(String spark, List<Judgement> judgements) {
  SuiteReport {
    judgements = List.copyOf(judgements);
  }

  boolean asExpected() {
    return judgements.stream().allMatch(Judgement::asExpected);
  }

  /** One line for each suite, then whatever was not expected. */
  String text() {
    TextTable table =
        new TextTable("suite", "passed", "failed", "skipped", "seconds", "pushed", "as expected");
    for (Judgement judgement : judgements) {
      SuiteResult result = judgement.result();
      table.add(
          result.shortName(),
          "" + result.count(Outcome.PASSED),
          "" + result.count(Outcome.FAILED),
          "" + result.count(Outcome.SKIPPED),
          String.format(Locale.ROOT, "%.0f", result.seconds()),
          Units.bytes(result.pushedBytes()),
          judgement.asExpected() ? "yes" : "NO");
    }
    table.add(
        "all", sum(Outcome.PASSED), sum(Outcome.FAILED), sum(Outcome.SKIPPED), "", "", verdict());
    StringBuilder text = new StringBuilder(table.toString());
    for (Judgement judgement : judgements) {
      for (String complaint : judgement.complaints()) {
        text.append(judgement.result().shortName()).append(" ").append(complaint).append('\n');
      }
    }
    return text.toString();
  }

  private String verdict() {
    return asExpected() ? "yes" : "NO";
  }

  private String sum(Outcome outcome) {
    return "" + judgements.stream().mapToLong(judgement -> judgement.result().count(outcome)).sum();
  }

  /** An object a line for each suite, and behind it one for each of its tests that failed. */
  String json() {
    StringBuilder lines = new StringBuilder();
    for (Judgement judgement : judgements) {
      SuiteResult result = judgement.result();
      lines
          .append(
              new JsonObject()
                  .put("spark", spark)
                  .put("suite", result.suite())
                  .put("passed", result.count(Outcome.PASSED))
                  .put("failed", result.count(Outcome.FAILED))
                  .put("skipped", result.count(Outcome.SKIPPED))
                  .put("seconds", result.seconds())
                  .put("pushed_bytes", result.pushedBytes())
                  .put("as_expected", judgement.asExpected()))
          .append('\n');
      result.tests().stream()
          .filter(TestResult::failed)
          .forEach(test -> lines.append(json(result, test)).append('\n'));
    }
    return lines.toString();
  }

  private JsonObject json(SuiteResult result, TestResult test) {
    return new JsonObject()
        .put("spark", spark)
        .put("suite", result.suite())
        .put("failed_test", test.name())
        .put("message", test.message());
  }
}
