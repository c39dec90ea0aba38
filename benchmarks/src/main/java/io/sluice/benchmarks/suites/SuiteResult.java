package io.sluice.benchmarks.suites;

import io.sluice.benchmarks.suites.TestResult.Outcome;
import java.util.List;

/**
 * What came of one suite.
 *
 * @param tests in the order of the report
 * @param aborted why the suite did not run to its end; empty if it did
 * @param pushedBytes what servers took in meanwhile
 */
record SuiteResult(
    String suite, List<TestResult> tests, String aborted, double seconds, long pushedBytes) {
  SuiteResult {
    tests = List.copyOf(tests);
  }

  /** Without the packages. */
  String shortName() {
    return suite.substring(suite.lastIndexOf('.') + 1);
  }

  long count(Outcome outcome) {
    return tests.stream().filter(test -> test.outcome() == outcome).count();
  }
}
