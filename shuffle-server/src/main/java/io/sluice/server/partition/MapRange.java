package io.sluice.server.partition;

/** Maps {@code [first, end)}; {@code end} of Integer.MAX_VALUE means no upper bound. Immutable. */
public record MapRange(int first, int end) {
  public static final MapRange ALL = new MapRange(0, Integer.MAX_VALUE);

  public boolean contains(int map) {
    return map >= first && (map < end || end == Integer.MAX_VALUE);
  }

  /** Whether every map of {@code [from, to]} is in the range. */
  public boolean covers(int from, int to) {
    return contains(from) && contains(to);
  }
}
