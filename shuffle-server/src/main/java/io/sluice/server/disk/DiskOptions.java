package io.sluice.server.disk;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;

/**
 * How one disk is used. All sizes in bytes.
 *
 * @param unitSize payload of a full unit: one write; a multiple of 4096 between 64 KiB and 64 MiB
 * @param stagingBuffers units staged or being written at once, each about 1.06 × unitSize of direct
 *     memory
 * @param segmentSize at which a segment is rolled; at least twice the unit size
 * @param readThreads reads under way at once
 * @param maxQueuedReads reads waiting; more are refused with TOO_MANY_STREAMS
 * @param maxOpenFiles segment files open at once, for reads and writes together
 * @param catalogMemory strict limit of the catalog's block cache and memtables together
 * @param reservedSpace free space that units never use, left for the catalog's own log
 */
public record DiskOptions(
    int unitSize,
    int stagingBuffers,
    long segmentSize,
    int readThreads,
    int maxQueuedReads,
    int maxOpenFiles,
    long catalogMemory,
    long reservedSpace) {

  /** The largest piece that an aligned read takes at once; server chunks are up to 256 KiB. */
  public static final int BOUNCE_LENGTH = 512 << 10;

  /** Header room as a share of the payload: extents down to about 128 bytes fill a unit. */
  private static final int HEADER_SHARE = 16;

  public DiskOptions {
    require(
        unitSize % Disk.ALIGNMENT == 0 && unitSize >= (64 << 10) && unitSize <= (64 << 20),
        "unit size must be a multiple of 4096 between 64 KiB and 64 MiB",
        unitSize);
    require(
        stagingBuffers >= 1 && stagingBuffers <= 16,
        "staging buffers must be 1 to 16",
        stagingBuffers);
    require(
        segmentSize >= 2L * unitSize,
        "segment size must be at least two units of " + unitSize,
        segmentSize);
    require(readThreads >= 1 && readThreads <= 64, "read threads must be 1 to 64", readThreads);
    require(maxQueuedReads >= 1, "queued reads must be at least 1", maxQueuedReads);
    require(
        maxOpenFiles >= 4 * readThreads,
        "open files must be at least four per read thread",
        maxOpenFiles);
    require(catalogMemory >= (1 << 20), "catalog memory must be at least 1 MiB", catalogMemory);
    require(reservedSpace >= 0, "reserved space must not be negative", reservedSpace);
  }

  private static void require(boolean holds, String rule, long value) {
    if (!holds) {
      throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, rule + ", not " + value);
    }
  }

  /** Direct memory that a disk takes for good: staging buffers, and one bounce buffer a reader. */
  public long directMemory() {
    return stagingBuffers * ((long) headerRoom() + unitSize + Disk.ALIGNMENT)
        + readThreads * (long) (BOUNCE_LENGTH + Disk.ALIGNMENT);
  }

  /** Bytes of a staging buffer before the payload: room for the unit's header. */
  public int headerRoom() {
    return AlignedBuffers.align(unitSize / HEADER_SHARE + Disk.ALIGNMENT);
  }

  /** 4 MiB units: an NVMe disk reaches its bandwidth there with one write at a time. */
  public static DiskOptions ssd() {
    return new DiskOptions(4 << 20, 2, 1L << 30, 2, 16 << 10, 64, 16 << 20, 64 << 20);
  }

  /** The same with another unit and segment size. */
  public DiskOptions withSizes(int unitSize, long segmentSize) {
    return new DiskOptions(
        unitSize,
        stagingBuffers,
        segmentSize,
        readThreads,
        maxQueuedReads,
        maxOpenFiles,
        catalogMemory,
        reservedSpace);
  }

  /** The same with another bound on open segment files. */
  public DiskOptions withMaxOpenFiles(int maxOpenFiles) {
    return new DiskOptions(
        unitSize,
        stagingBuffers,
        segmentSize,
        readThreads,
        maxQueuedReads,
        maxOpenFiles,
        catalogMemory,
        reservedSpace);
  }
}
