package io.sluice.common.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A number of bytes, written with a binary unit: {@code 512m} is 512 x 1024 x 1024. Immutable. */
public final class DataSize implements Comparable<DataSize> {
  private static final Pattern SYNTAX =
      Pattern.compile("(\\d{1,19})\\s*(b|[kmgt](?:i?b)?)", Pattern.CASE_INSENSITIVE);
  private static final String UNITS = "bkmgt";

  private final long bytes;

  private DataSize(long bytes) {
    this.bytes = bytes;
  }

  /**
   * @throws IllegalArgumentException if negative
   */
  public static DataSize ofBytes(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a size cannot be negative: " + bytes);
    }
    return new DataSize(bytes);
  }

  /**
   * Reads {@code 64k}, {@code 512m}, {@code 512MiB}, {@code 100b}. A bare number is refused,
   * because nobody agrees on its unit; only {@code 0} needs none. Blanks between them are let pass,
   * as files of settings have them.
   *
   * @throws IllegalArgumentException saying what is wrong
   */
  public static DataSize parse(String text) {
    if (text.equals("0")) {
      return new DataSize(0);
    }
    Matcher matcher = SYNTAX.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "not a size: write a whole number and a unit (b, k, m, g, t), such as 512m");
    }
    int unit = UNITS.indexOf(matcher.group(2).toLowerCase(Locale.ROOT).charAt(0));
    try {
      return new DataSize(Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << (10 * unit)));
    } catch (ArithmeticException | NumberFormatException e) {
      throw new IllegalArgumentException("too large: sizes end at 2^63 - 1 bytes", e);
    }
  }

  public long toBytes() {
    return bytes;
  }

  /**
   * For sizes of arrays and buffers.
   *
   * @throws ArithmeticException above 2^31 - 1; give such keys an upper bound
   */
  public int toIntBytes() {
    return Math.toIntExact(bytes);
  }

  @Override
  public int compareTo(DataSize other) {
    return Long.compare(bytes, other.bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DataSize && ((DataSize) other).bytes == bytes;
  }

  @Override
  public int hashCode() {
    return Long.hashCode(bytes);
  }

  /** The shortest exact form, which {@link #parse} reads back. */
  @Override
  public String toString() {
    int unit =
        bytes == 0 ? 0 : Math.min(UNITS.length() - 1, Long.numberOfTrailingZeros(bytes) / 10);
    return (bytes >>> (10 * unit)) + String.valueOf(UNITS.charAt(unit));
  }
}
