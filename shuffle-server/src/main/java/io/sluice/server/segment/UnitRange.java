package io.sluice.server.segment;

/**
 * Where a unit lies in its segment.
 *
 * @param start first byte
 * @param end exclusive
 */
public record UnitRange(long start, long end) {
  /** A segment that is one unit, or may be. */
  public static final UnitRange ALL = new UnitRange(0, Long.MAX_VALUE);

  /** Whether what begins there is of the unit. */
  public boolean contains(long offset) {
    return start <= offset && offset < end;
  }
}
