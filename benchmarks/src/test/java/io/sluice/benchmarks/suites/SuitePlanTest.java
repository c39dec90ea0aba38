package io.sluice.benchmarks.suites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmarks.suites.SuitePlan.Failure;
import io.sluice.benchmarks.suites.SuitePlan.Local;
import io.sluice.benchmarks.suites.SuitePlan.Planned;
import io.sluice.cli.local.TestedSpark;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SuitePlanTest {
  @Test
  void readsSuitesWithWhatFailsAndWhy() {
    SuitePlan plan =
        SuitePlan.parse(
            """
            # a comment

            suite a.First
              fails counts files # of all
              fails looks at a local file
                saying 0 was not 4
                because the sort shuffle's files are not there
              fails asks for a class
                saying no such class
                because it is another
              either collects a list
              either collects a set of lists
                saying did not equal List(
                because rows come in any order

            suite b.Second
              local because it mocks everything

            suite c.Third
              perhaps local because its maps are killed
            """);

    assertThat(plan.suites())
        .containsExactly(
            new Planned(
                "a.First",
                Map.of(
                    "counts files # of all",
                        new Failure("the sort shuffle's files are not there", "0 was not 4"),
                    "looks at a local file",
                        new Failure("the sort shuffle's files are not there", "0 was not 4"),
                    "asks for a class", new Failure("it is another", "no such class")),
                Map.of(
                    "collects a list", new Failure("rows come in any order", "did not equal List("),
                    "collects a set of lists",
                        new Failure("rows come in any order", "did not equal List(")),
                null),
            new Planned("b.Second", Map.of(), Map.of(), new Local("it mocks everything", true)),
            new Planned("c.Third", Map.of(), Map.of(), new Local("its maps are killed", false)));
  }

  @Test
  void refusesAFailureWithoutAReason() {
    assertThatThrownBy(() -> SuitePlan.parse("suite a.First\nfails one\nsuite b.Second"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("line 3 of the plan: nothing says why [one] fail");
    assertThatThrownBy(() -> SuitePlan.parse("suite a.First\neither one"))
        .hasMessage("line 2 of the plan: nothing says why [one] fail");
  }

  @Test
  void refusesAReasonForNothing() {
    assertThatThrownBy(() -> SuitePlan.parse("suite a.First\nbecause of that"))
        .hasMessage("line 2 of the plan: unexpected: because of that");
  }

  @Test
  void refusesAFailureThatMaySayAnything() {
    assertThatThrownBy(() -> SuitePlan.parse("suite a.First\nfails one\nbecause of that"))
        .hasMessage("line 3 of the plan: nothing says what [one] say when they fail");
    assertThatThrownBy(
            () -> SuitePlan.parse("suite a.First\neither one\neither two\nbecause of that"))
        .hasMessage("line 4 of the plan: nothing says what [one, two] say when they fail");
  }

  @Test
  void refusesAMessageOfNothing() {
    assertThatThrownBy(() -> SuitePlan.parse("suite a.First\nsaying that"))
        .hasMessage("line 2 of the plan: unexpected: saying that");
    assertThatThrownBy(() -> SuitePlan.parse("suite a.First\neither one\nsaying a\nsaying b"))
        .hasMessage("line 4 of the plan: unexpected: saying b");
  }

  @Test
  void refusesWhatBelongsToNoSuite() {
    assertThatThrownBy(() -> SuitePlan.parse("fails one"))
        .hasMessage("line 1 of the plan: unexpected: fails one");
  }

  @Test
  void refusesASuiteTwice() {
    assertThatThrownBy(() -> SuitePlan.parse("suite a.First\nsuite a.First"))
        .hasMessage("line 2 of the plan: a.First is there twice");
  }

  @ParameterizedTest
  @EnumSource(TestedSpark.class)
  void thePlansThatAreKeptCanBeRead(TestedSpark spark) throws IOException {
    assertThat(SuitePlan.of(spark).suites())
        .extracting(Planned::name)
        .contains(
            "io.sluice.benchmarks.spark.suite.SluiceShuffleSuite",
            "org.apache.spark.sql.JoinSuite");
  }
}
