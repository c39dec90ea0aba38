package io.sluice.benchmarks.storage.restart;

import java.util.Locale;

/**
 * What one start took. Travels as one line between processes. Times in seconds, sizes in bytes.
 *
 * @param units found
 * @param heapBytes live on the heap because of it all
 * @param tableBytes of these, what the tables are accounted with
 * @param catalogBytes files of the catalog, all of which is read
 */
record RestartFigures(
    Seconds seconds, int units, int extents, long heapBytes, long tableBytes, long catalogBytes) {
  private static final int FIELDS = 9;

  /**
   * @param open the disk and its catalog, recovered
   * @param core tables of shuffles, partitions and extents made from what was recovered
   * @param fetch a partition asked for, until its last block is there
   * @param process from the start of the process to that moment
   */
  record Seconds(double open, double core, double fetch, double process) {
    /** Until a reader has what it asked for, from opening the disk on. */
    double untilServing() {
      return open + core + fetch;
    }
  }

  /** For {@link #parse}. */
  String format() {
    return String.format(
        Locale.ROOT,
        "%.6f %.6f %.6f %.6f %d %d %d %d %d",
        seconds.open,
        seconds.core,
        seconds.fetch,
        seconds.process,
        units,
        extents,
        heapBytes,
        tableBytes,
        catalogBytes);
  }

  /**
   * @throws IllegalArgumentException if the line is not what {@link #format} writes
   */
  static RestartFigures parse(String line) {
    String[] fields = line.trim().split(" ", -1);
    if (fields.length != FIELDS) {
      throw new IllegalArgumentException("not " + FIELDS + " figures: " + line);
    }
    return new RestartFigures(
        new Seconds(
            Double.parseDouble(fields[0]),
            Double.parseDouble(fields[1]),
            Double.parseDouble(fields[2]),
            Double.parseDouble(fields[3])),
        Integer.parseInt(fields[4]),
        Integer.parseInt(fields[5]),
        Long.parseLong(fields[6]),
        Long.parseLong(fields[7]),
        Long.parseLong(fields[8]));
  }
}
