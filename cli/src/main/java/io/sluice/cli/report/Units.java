package io.sluice.cli.report;

import java.util.Locale;

/** Figures as people read them. */
public final class Units {
  private static final String[] BINARY = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  private Units() {}

  /** Such as {@code 1.5 GiB}. */
  public static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (Math.abs(value) >= 1024 && unit < BINARY.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, BINARY[unit]);
  }

  public static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.2f", seconds);
  }

  public static String ratio(double ratio) {
    return Double.isFinite(ratio) ? String.format(Locale.ROOT, "%.2f", ratio) : "–";
  }
}
