package io.sluice.benchmarks.queries;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whether two results are the same rows: as a bag where the query does not order, and where it
 * does, with the same sequence of what it orders by. Sums of doubles depend on the order in which
 * rows arrive, so doubles are the same within a billionth; everything else to the last digit.
 */
final class ResultComparison {
  private static final double RELATIVE = 1e-9;

  /** Coarser than what is compared, so that almost equal doubles are sorted alike. */
  private static final MathContext SORTED = new MathContext(6);

  private final ResultRows expected;
  private final ResultRows actual;

  private ResultComparison(ResultRows expected, ResultRows actual) {
    this.expected = expected;
    this.actual = actual;
  }

  /** What differs first, in words; empty if nothing does. */
  static Optional<String> difference(ResultRows expected, ResultRows actual) {
    return new ResultComparison(expected, actual).difference();
  }

  private Optional<String> difference() {
    if (!expected.approximate().equals(actual.approximate())) {
      return Optional.of("columns differ");
    }
    if (!expected.keys().equals(actual.keys())) {
      return Optional.of("ordered by " + actual.keys() + " instead of " + expected.keys());
    }
    if (expected.rows().size() != actual.rows().size()) {
      return Optional.of(actual.rows().size() + " rows instead of " + expected.rows().size());
    }
    Optional<String> order = differenceOfOrder();
    return order.isPresent() ? order : differenceOfRows();
  }

  private Optional<String> differenceOfOrder() {
    for (int i = 0; i < expected.rows().size(); i++) {
      for (int key : expected.keys()) {
        if (!same(key, expected.rows().get(i).get(key), actual.rows().get(i).get(key))) {
          return Optional.of("row " + (i + 1) + " is out of order: " + pair(i, expected, actual));
        }
      }
    }
    return Optional.empty();
  }

  private static String pair(int row, ResultRows expected, ResultRows actual) {
    return actual.rows().get(row) + " instead of " + expected.rows().get(row);
  }

  private Optional<String> differenceOfRows() {
    List<List<@Nullable String>> left = sorted(expected);
    List<List<@Nullable String>> right = sorted(actual);
    for (int i = 0; i < left.size(); i++) {
      for (int column = 0; column < left.get(i).size(); column++) {
        if (!same(column, left.get(i).get(column), right.get(i).get(column))) {
          return Optional.of(right.get(i) + " instead of " + left.get(i));
        }
      }
    }
    return Optional.empty();
  }

  private List<List<@Nullable String>> sorted(ResultRows result) {
    List<List<@Nullable String>> rows = new ArrayList<>(result.rows());
    rows.sort(Comparator.comparing(this::sortedBy));
    return rows;
  }

  private String sortedBy(List<@Nullable String> row) {
    List<String> exact = new ArrayList<>();
    List<String> rounded = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      String cell = row.get(i);
      if (expected.approximate().get(i) && isNumber(cell)) {
        rounded.add(new BigDecimal(Objects.requireNonNull(cell)).round(SORTED).toString());
      } else {
        exact.add(String.valueOf(cell));
      }
    }
    // Exact columns first: they keep rows apart whose doubles are on two sides of a rounding.
    exact.addAll(rounded);
    return exact.stream().collect(Collectors.joining("\t"));
  }

  private static boolean isNumber(@Nullable String cell) {
    return cell != null && !cell.equals("NaN") && !cell.endsWith("Infinity");
  }

  private boolean same(int column, @Nullable String left, @Nullable String right) {
    if (Objects.equals(left, right)) {
      return true;
    }
    if (!expected.approximate().get(column) || !isNumber(left) || !isNumber(right)) {
      return false;
    }
    double a = Double.parseDouble(Objects.requireNonNull(left));
    double b = Double.parseDouble(Objects.requireNonNull(right));
    return Math.abs(a - b) <= RELATIVE * Math.max(Math.abs(a), Math.abs(b));
  }
}
