package io.sluice.common.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes durations as {@code 30s}. */
public final class DurationText {
  private static final Pattern SYNTAX = Pattern.compile("(\\d{1,18})\\s*(ns|us|ms|s|m|h|d)");
  private static final String[] UNITS = {"d", "h", "m", "s", "ms", "us", "ns"};
  private static final long[] NANOS = {
    86_400_000_000_000L, 3_600_000_000_000L, 60_000_000_000L, 1_000_000_000L, 1_000_000L, 1_000L, 1L
  };

  private DurationText() {}

  /**
   * Reads a duration that also fits into 63 bits of nanoseconds (292 years).
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  public static Duration parse(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    Matcher matcher = SYNTAX.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "not a duration: write a whole number and a unit (ns, us, ms, s, m, h, d), such as 30s");
    }
    int unit = 0;
    while (!UNITS[unit].equals(matcher.group(2))) {
      unit++;
    }
    try {
      return Duration.ofNanos(Math.multiplyExact(Long.parseLong(matcher.group(1)), NANOS[unit]));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException("too long: durations end at 292 years", e);
    }
  }

  /** The shortest exact form, which {@link #parse} reads back. */
  public static String format(Duration duration) {
    long nanos = duration.toNanos();
    if (nanos == 0) {
      return "0s";
    }
    int unit = 0;
    while (nanos % NANOS[unit] != 0) {
      unit++;
    }
    return nanos / NANOS[unit] + UNITS[unit];
  }
}
