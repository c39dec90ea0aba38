package io.sluice.benchmarks.suites;

import io.sluice.benchmarks.suites.SuitePlan.Failure;
import io.sluice.benchmarks.suites.SuitePlan.Local;
import io.sluice.benchmarks.suites.SuitePlan.Planned;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What a suite did against what was expected of it.
 *
 * @param complaints each a sentence; none if all was as expected
 */
record Judgement(SuiteResult result, List<String> complaints) {
  private static final int MESSAGE_MAX = 300;

  Judgement {
    complaints = List.copyOf(complaints);
  }

  boolean asExpected() {
    return complaints.isEmpty();
  }

  /** Holds a suite to its plan: what failed, what passed though it should not, what was local. */
  static Judgement of(Planned planned, SuiteResult result) {
    List<String> complaints = new ArrayList<>();
    if (!result.aborted().isEmpty()) {
      complaints.add("did not run to its end: " + shortened(result.aborted()));
    }
    for (TestResult test : result.tests()) {
      if (test.failed() && !planned.mayFail(test.name())) {
        complaints.add("failed: " + test.name() + ": " + shortened(test.message()));
      }
    }
    Map<String, TestResult> byName =
        result.tests().stream()
            .collect(Collectors.toMap(TestResult::name, Function.identity(), (a, b) -> a));
    planned.failures().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(each -> mustFail(each.getKey(), each.getValue(), byName, complaints));
    planned.either().entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(each -> mayFail(each.getKey(), each.getValue(), byName, complaints));
    boolean local = result.pushedBytes() == 0;
    Local said = planned.local();
    if (local && said == null) {
      complaints.add("shuffled nothing through Sluice");
    } else if (!local && said != null && said.always()) {
      complaints.add("is said to shuffle nothing through Sluice, and does");
    }
    return new Judgement(result, complaints);
  }

  private static void mustFail(
      String name, Failure expected, Map<String, TestResult> byName, List<String> complaints) {
    TestResult test = byName.get(name);
    if (test == null) {
      complaints.add("is said to fail, and is not there: " + name);
    } else if (!test.failed()) {
      complaints.add(
          "is said to fail, and has "
              + test.outcome().name().toLowerCase(Locale.ROOT)
              + ": "
              + name);
    } else {
      mustSay(test, expected, complaints);
    }
  }

  private static void mayFail(
      String name, Failure allowed, Map<String, TestResult> byName, List<String> complaints) {
    TestResult test = byName.get(name);
    if (test == null) {
      complaints.add("is said to fail or pass, and is not there: " + name);
    } else if (test.failed()) {
      mustSay(test, allowed, complaints);
    }
  }

  private static void mustSay(TestResult failed, Failure expected, List<String> complaints) {
    if (!failed.message().contains(expected.saying())) {
      complaints.add(
          "failed in another way: "
              + failed.name()
              + ": not '"
              + expected.saying()
              + "' but "
              + shortened(failed.message()));
    }
  }

  private static String shortened(String message) {
    String line = message.replace('\n', ' ').strip();
    return line.length() <= MESSAGE_MAX ? line : line.substring(0, MESSAGE_MAX) + " ...";
  }
}
