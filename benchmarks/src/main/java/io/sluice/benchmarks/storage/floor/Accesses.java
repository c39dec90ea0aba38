package io.sluice.benchmarks.storage.floor;

import java.util.List;

/**
 * How a raw disk is read, or written.
 *
 * @param underWay accesses at a time
 * @param unit bytes of each
 * @param buffers of so many bytes that are used in turns, at least one for each that is under way
 */
public record Accesses(int underWay, int unit, int buffers) {
  static final int FIELDS = 3;

  /** Bytes of all buffers. */
  public long memory() {
    return (long) unit * buffers;
  }

  /** As arguments of a process; {@link #parse} reads them. */
  public List<String> arguments() {
    return List.of(Integer.toString(underWay), Integer.toString(unit), Integer.toString(buffers));
  }

  static Accesses parse(List<String> arguments) {
    return new Accesses(
        Integer.parseInt(arguments.get(0)),
        Integer.parseInt(arguments.get(1)),
        Integer.parseInt(arguments.get(2)));
  }
}
