package io.sluice.benchmarks.storage.disk;

/**
 * What was asked of a disk's segment files.
 *
 * @param seeks accesses that did not begin where the one before them had ended, in the same file
 */
public record AccessCounts(long writes, long writtenBytes, long reads, long readBytes, long seeks) {

  public static final AccessCounts NONE = new AccessCounts(0, 0, 0, 0, 0);

  /** Both together. */
  public AccessCounts plus(AccessCounts other) {
    return new AccessCounts(
        writes + other.writes,
        writtenBytes + other.writtenBytes,
        reads + other.reads,
        readBytes + other.readBytes,
        seeks + other.seeks);
  }

  /** What came on top of an earlier count. */
  public AccessCounts since(AccessCounts before) {
    return new AccessCounts(
        writes - before.writes,
        writtenBytes - before.writtenBytes,
        reads - before.reads,
        readBytes - before.readBytes,
        seeks - before.seeks);
  }
}
