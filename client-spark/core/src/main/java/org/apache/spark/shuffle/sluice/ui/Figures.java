package org.apache.spark.shuffle.sluice.ui;

import java.util.Locale;

/** Figures for people. */
final class Figures {
  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  private static final String UNKNOWN = "–";

  private Figures() {}

  /** Such as {@code 1.5 MiB}. */
  static String bytes(long bytes) {
    if (bytes < 1024) {
      return bytes < 0 ? UNKNOWN : bytes + " B";
    }
    double value = bytes;
    int unit = -1;
    // What would be written as 1024.0 is one of the next.
    while (value >= 1023.95 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }

  /** Such as {@code 1,234}. */
  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** Such as {@code 3.2 ×}. */
  static String times(double times) {
    return Double.isNaN(times) ? UNKNOWN : String.format(Locale.ROOT, "%.1f ×", times);
  }
}
