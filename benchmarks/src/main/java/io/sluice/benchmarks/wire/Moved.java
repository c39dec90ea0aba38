package io.sluice.benchmarks.wire;

import java.util.Locale;

/**
 * What a client did in one direction. Travels as one line between processes.
 *
 * @param bytes of blocks, headers included
 * @param p50Nanos pushing: from handing a frame over to the answer to its last block; fetching:
 *     from the request for a partition to its end
 * @param p99Nanos of the same
 */
public record Moved(long bytes, double seconds, long p50Nanos, long p99Nanos, Usage usage) {
  private static final int OWN_FIELDS = 4;

  /** For {@link #parse}. */
  public String format() {
    return String.format(
        Locale.ROOT, "%d %.9f %d %d %s", bytes, seconds, p50Nanos, p99Nanos, usage.format());
  }

  /**
   * @throws IllegalArgumentException if the line is not what {@link #format} writes
   */
  public static Moved parse(String line) {
    String[] words = line.trim().split(" ", -1);
    Usage usage = Usage.parse(words, OWN_FIELDS);
    return new Moved(
        Long.parseLong(words[0]),
        Double.parseDouble(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        usage);
  }
}
