package io.sluice.server.segment;

import io.sluice.server.disk.Disk;

/**
 * A file by a segment's name that a start has found, and the units known in it. Not thread-safe.
 */
final class FoundFile {
  private final SegmentFileName name;
  private final long length;
  private final UnitEnds ends = new UnitEnds();

  FoundFile(SegmentFileName name, Disk.FileEntry entry) {
    this.name = name;
    this.length = entry.length() == Disk.FileEntry.UNKNOWN ? Long.MAX_VALUE : entry.length();
  }

  SegmentFileName name() {
    return name;
  }

  /** Bytes; as many as can be if the disk does not say: then no unit lies behind them. */
  long length() {
    return length;
  }

  /** Whether the disk gives no more of it than its name. */
  boolean isHidden() {
    return length == Long.MAX_VALUE;
  }

  /** Where the last unit ends that is known. */
  long end() {
    return ends.last();
  }

  /** Of all of them, for whoever adds one or takes them over. */
  UnitEnds ends() {
    return ends;
  }
}
