package io.sluice.benchmarks.suites;

/**
 * What came of one test of a suite.
 *
 * @param message why it failed; empty if it did not
 */
record TestResult(String name, Outcome outcome, double seconds, String message) {

  /** As ScalaTest tells them apart in its reports. */
  enum Outcome {
    PASSED,
    FAILED,
    /** Ignored by whoever wrote it, or cancelled by itself. */
    SKIPPED
  }

  boolean failed() {
    return outcome == Outcome.FAILED;
  }
}
