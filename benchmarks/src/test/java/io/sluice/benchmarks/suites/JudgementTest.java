package io.sluice.benchmarks.suites;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmarks.suites.SuitePlan.Failure;
import io.sluice.benchmarks.suites.SuitePlan.Local;
import io.sluice.benchmarks.suites.SuitePlan.Planned;
import io.sluice.benchmarks.suites.TestResult.Outcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JudgementTest {
  private static final Planned PLANNED =
      new Planned(
          "a.First",
          Map.of("counts files", new Failure("there are none", "was not 4")),
          Map.of(),
          null);
  private static final Planned WAVERING =
      new Planned(
          "a.First",
          Map.of(),
          Map.of("collects", new Failure("rows come in any order", "did not equal List(")),
          null);
  private static final TestResult PASSED = new TestResult("joins", Outcome.PASSED, 1, "");
  private static final TestResult KNOWN =
      new TestResult("counts files", Outcome.FAILED, 1, "0 was not 4");

  @Test
  void isContentWithWhatWasExpected() {
    assertThat(judge(PLANNED, PASSED, KNOWN)).isEmpty();
  }

  @Test
  void complainsOfAFailureThatIsNotOnTheList() {
    assertThat(judge(PLANNED, KNOWN, new TestResult("sorts", Outcome.FAILED, 1, "2 before\n1")))
        .containsExactly("failed: sorts: 2 before 1");
  }

  @Test
  void complainsOfAnotherFailureThanTheOneOnTheList() {
    TestResult wrong = new TestResult("counts files", Outcome.FAILED, 1, "wrong rows");
    assertThat(judge(PLANNED, wrong))
        .containsExactly("failed in another way: counts files: not 'was not 4' but wrong rows");
  }

  @Test
  void complainsOfAPassThatIsOnTheList() {
    assertThat(judge(PLANNED, new TestResult("counts files", Outcome.PASSED, 1, "")))
        .containsExactly("is said to fail, and has passed: counts files");
  }

  @Test
  void complainsOfWhatIsOnTheListAndNotThere() {
    assertThat(judge(PLANNED, PASSED))
        .containsExactly("is said to fail, and is not there: counts files");
  }

  @Test
  void isContentWithEitherWhereEitherIsExpected() {
    assertThat(judge(WAVERING, new TestResult("collects", Outcome.PASSED, 1, ""))).isEmpty();
    assertThat(judge(WAVERING, collected("List(2, 1) did not equal List(1, 2)"))).isEmpty();
    assertThat(judge(WAVERING, PASSED))
        .containsExactly("is said to fail or pass, and is not there: collects");
  }

  /** What may come in any order has to come. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Job aborted due to stage failure: Task 1 in stage 4.0 failed 1 times",
        "FetchFailed(BlockManagerId(sluice, sluice-0, 1, None), shuffleId=0)",
        "Boxed Error; Cause: io.sluice.common.error.SluiceException: UNKNOWN_SHUFFLE",
        "1 did not equal 2",
        ""
      })
  void complainsOfAnotherFailureWhereEitherIsExpected(String message) {
    assertThat(judge(WAVERING, collected(message)))
        .containsExactly(
            "failed in another way: collects: not 'did not equal List(' but " + message);
  }

  @Test
  void complainsOfASuiteThatDidNotEndOrDidNotShuffleHere() {
    SuiteResult result = new SuiteResult("a.First", List.of(KNOWN), "ended with 134", 1, 0);
    assertThat(Judgement.of(PLANNED, result).complaints())
        .containsExactly(
            "did not run to its end: ended with 134", "shuffled nothing through Sluice");
  }

  @Test
  void complainsOfASuiteThatShufflesThoughItIsSaidNotTo() {
    assertThat(judge(local(true), PASSED))
        .containsExactly("is said to shuffle nothing through Sluice, and does");
  }

  @Test
  void isContentWithASuiteThatMayShuffleWhetherItDoesOrNot() {
    SuiteResult nothing = new SuiteResult("a.First", List.of(PASSED), "", 1, 0);
    assertThat(judge(local(false), PASSED)).isEmpty();
    assertThat(Judgement.of(local(false), nothing).complaints()).isEmpty();
  }

  private static TestResult collected(String message) {
    return new TestResult("collects", Outcome.FAILED, 1, message);
  }

  private static Planned local(boolean always) {
    return new Planned("a.First", Map.of(), Map.of(), new Local("it is quick", always));
  }

  private static List<String> judge(Planned planned, TestResult... tests) {
    return Judgement.of(planned, new SuiteResult("a.First", List.of(tests), "", 1, 100))
        .complaints();
  }
}
