package io.sluice.benchmarks.crowded;

import java.util.ArrayList;
import java.util.List;

/**
 * What clients saw.
 *
 * @param bytes of acknowledged blocks
 * @param p50Nanos from handing a frame of 256 KiB over to the answer to its last block
 * @param failures blocks and WANTs that were refused
 * @param others bytes of each application that pressed meanwhile, then their failures
 */
record CrowdedFigures(
    long bytes, double seconds, long p50Nanos, long p99Nanos, long failures, List<Long> others) {
  private static final int OWN_FIELDS = 5;
  private static final double GB = 1e9;
  private static final double NANOS_PER_MILLI = 1e6;

  /**
   * @throws IllegalArgumentException if the line is not what a client answers
   */
  static CrowdedFigures parse(String line) {
    String[] words = line.trim().split(" ", -1);
    List<Long> others = new ArrayList<>();
    for (int i = OWN_FIELDS; i < words.length; i++) {
      others.add(Long.parseLong(words[i]));
    }
    return new CrowdedFigures(
        Long.parseLong(words[0]),
        Double.parseDouble(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        Long.parseLong(words[4]),
        others);
  }

  double gbps() {
    return bytes / GB / seconds;
  }

  double p50Millis() {
    return p50Nanos / NANOS_PER_MILLI;
  }

  double p99Millis() {
    return p99Nanos / NANOS_PER_MILLI;
  }

  /** Bytes of each application that pressed. */
  List<Long> pressed() {
    return others.isEmpty() ? others : others.subList(0, others.size() - 1);
  }

  /** What those were refused. */
  long pressedFailures() {
    return others.isEmpty() ? 0 : others.get(others.size() - 1);
  }

  /** R. Jain's index of fairness of those that pressed: 1 if all had as much. */
  double fairness() {
    double sum = 0;
    double squares = 0;
    for (long bytes : pressed()) {
      sum += bytes;
      squares += (double) bytes * bytes;
    }
    return squares == 0 ? 1 : sum * sum / (pressed().size() * squares);
  }
}
