package io.sluice.benchmarks.queries;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ResultComparisonTest {
  private static final List<Boolean> COLUMNS = List.of(false, true);

  private static ResultRows rows(List<Integer> keys, List<List<@Nullable String>> rows) {
    return new ResultRows(COLUMNS, keys, rows);
  }

  private static List<@Nullable String> row(@Nullable String... cells) {
    return Arrays.asList(cells);
  }

  @Test
  void takesUnorderedRowsForABag() {
    ResultRows one = rows(List.of(), List.of(row("a", "1.5"), row(null, "2"), row("a", "1.5")));
    assertThat(
            ResultComparison.difference(
                one, rows(List.of(), List.of(row("a", "1.5"), row("a", "1.5"), row(null, "2")))))
        .isEmpty();
    assertThat(
            ResultComparison.difference(
                one, rows(List.of(), List.of(row("a", "1.5"), row(null, "2"), row(null, "2")))))
        .contains("[null, 2] instead of [a, 1.5]");
  }

  @Test
  void forgivesDoublesTheirLastDigitsAndNothingElse() {
    ResultRows one = rows(List.of(), List.of(row("a", "0.30000000000000004")));
    assertThat(ResultComparison.difference(one, rows(List.of(), List.of(row("a", "0.3")))))
        .isEmpty();
    assertThat(ResultComparison.difference(one, rows(List.of(), List.of(row("a", "0.30001")))))
        .isNotEmpty();
    assertThat(ResultComparison.difference(one, rows(List.of(), List.of(row("a", "NaN")))))
        .isNotEmpty();
    assertThat(ResultComparison.difference(one, rows(List.of(), List.of(row("a", null)))))
        .isNotEmpty();
    assertThat(
            ResultComparison.difference(
                rows(List.of(), List.of(row("0.3", "1"))),
                rows(List.of(), List.of(row("0.30000000000000004", "1")))))
        .isNotEmpty();
  }

  @Test
  void holdsTheOrderOfWhatIsOrderedByAndOfNothingElse() {
    ResultRows one = rows(List.of(0), List.of(row("a", "1"), row("a", "2"), row("b", "3")));
    assertThat(
            ResultComparison.difference(
                one, rows(List.of(0), List.of(row("a", "2"), row("a", "1"), row("b", "3")))))
        .isEmpty();
    assertThat(
            ResultComparison.difference(
                one, rows(List.of(0), List.of(row("a", "1"), row("b", "3"), row("a", "2")))))
        .contains("row 2 is out of order: [b, 3] instead of [a, 2]");
  }

  @Test
  void findsRowsThatAreMissing() {
    assertThat(
            ResultComparison.difference(
                rows(List.of(), List.of(row("a", "1"), row("b", "2"))),
                rows(List.of(), List.of(row("a", "1")))))
        .contains("1 rows instead of 2");
  }
}
