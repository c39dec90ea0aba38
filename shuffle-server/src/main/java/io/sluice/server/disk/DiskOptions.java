package io.sluice.server.disk;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;

/**
 * How one disk is used. All sizes in bytes.
 *
 * @param unitSize payload of a full unit: one write; a multiple of 4096 between 64 KiB and 64 MiB
 * @param stagingBuffers units staged or being written at once, each about 1.06 × unitSize of direct
 *     memory; all of them are one piece
 * @param writesAtOnce of units, each to a file of its own
 * @param segmentSize at which a segment is rolled; at least twice the unit size
 * @param reads how it is read
 * @param maxOpenFiles segment files open at once, for reads and writes together
 * @param catalogMemory strict limit of the catalog's block cache and memtables together
 * @param reservedSpace free space that units never use, left for the catalog's own log
 */
public record DiskOptions(
    int unitSize,
    int stagingBuffers,
    int writesAtOnce,
    long segmentSize,
    ReadOptions reads,
    int maxOpenFiles,
    long catalogMemory,
    long reservedSpace) {

  /** Header room as a share of the payload: extents down to about 128 bytes fill a unit. */
  private static final int HEADER_SHARE = 16;

  private static final long START_ROOM_MIN = 8 << 20;
  private static final long START_ROOM_MAX = 64 << 20;

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
        writesAtOnce >= 1 && writesAtOnce <= stagingBuffers,
        "writes at once must be at least 1, and at most the staging buffers",
        writesAtOnce);
    require(
        segmentSize >= 2L * unitSize,
        "segment size must be at least two units of " + unitSize,
        segmentSize);
    require(
        maxOpenFiles >= 4 * reads.threads(),
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

  /** With reads sized for the unit; for small disks, as tests have them. */
  public DiskOptions(
      int unitSize,
      int stagingBuffers,
      long segmentSize,
      int readThreads,
      int maxQueuedReads,
      int maxOpenFiles,
      long catalogMemory,
      long reservedSpace) {
    this(
        unitSize,
        stagingBuffers,
        1,
        segmentSize,
        ReadOptions.ofUnit(unitSize, readThreads, maxQueuedReads),
        maxOpenFiles,
        catalogMemory,
        reservedSpace);
  }

  /** Reads under way at once. */
  public int readThreads() {
    return reads.threads();
  }

  /** Reads that may wait. */
  public int maxQueuedReads() {
    return reads.maxWaiting();
  }

  /** Direct memory that a disk takes for good: staging buffers and the read cache. */
  public long directMemory() {
    return stagingMemory() + reads.directMemory();
  }

  /** Direct memory of the staging buffers, which are one piece. */
  public long stagingMemory() {
    return AlignedBuffers.memoryOf(stagingBuffers * stagingBuffer());
  }

  /** Bytes of a staging buffer: a unit's header and payload. */
  public int stagingBuffer() {
    return headerRoom() + unitSize;
  }

  /** Bytes of a staging buffer before the payload: room for the unit's header. */
  public int headerRoom() {
    return AlignedBuffers.align(unitSize / HEADER_SHARE + Disk.ALIGNMENT);
  }

  /** Free bytes without which a disk is full: the reserve, units written at once, and one more. */
  public long neededSpace() {
    return reservedSpace + (1L + writesAtOnce) * unitSize;
  }

  /**
   * Free bytes below which a disk is passed by while another has room, so that one that fills up is
   * not fenced: the reserve; the next unit; those staged or being written, which do not show in
   * what was free a moment ago; those that a writer counts although they may; and one for the
   * catalog.
   */
  public long comfortableSpace() {
    int units = 1 + (stagingBuffers - 1) + writesAtOnce + 1;
    return reservedSpace + (long) units * stagingBuffer();
  }

  /**
   * Bytes that a disk keeps for a start that finds it full: the catalog's last log is written as
   * tables then, of half its memory at most, and RocksDB allots 6 MiB to a new log and manifest.
   */
  public long startRoom() {
    return Math.max(START_ROOM_MIN, Math.min(catalogMemory, START_ROOM_MAX));
  }

  /** As fits a class of disks. */
  public static DiskOptions of(DiskClass kind) {
    return switch (kind) {
      case SSD -> ssd();
      case HDD -> hdd();
    };
  }

  /**
   * 4 MiB units, four of them being written: an NVMe disk wants two, and a thread whose write has
   * ended waits for a processor before it begins the next ({@code docs/benchmarks/storage.md}).
   */
  public static DiskOptions ssd() {
    return new DiskOptions(
        4 << 20, stagingFor(4), 4, 1L << 30, ReadOptions.ssd(), 64, 16 << 20, 64 << 20);
  }

  /** 8 MiB units: 8 ms of seek beside 45 of transfer. */
  public static DiskOptions hdd() {
    return new DiskOptions(
        8 << 20, stagingFor(1), 1, 1L << 30, ReadOptions.hdd(), 64, 16 << 20, 64 << 20);
  }

  /** A buffer for each write, and for every two of them one that is filled meanwhile. */
  private static int stagingFor(int writes) {
    return writes + (writes + 1) / 2;
  }

  /** The same with another unit and segment size. */
  public DiskOptions withSizes(int unitSize, long segmentSize) {
    return with(unitSize, segmentSize, reads, maxOpenFiles, catalogMemory);
  }

  /** The same with so many writes at a time at most, and staging for those and their successors. */
  public DiskOptions withWritesAtMost(int most) {
    int writes = Math.min(most, writesAtOnce);
    return new DiskOptions(
        unitSize,
        stagingFor(writes),
        writes,
        segmentSize,
        reads,
        maxOpenFiles,
        catalogMemory,
        reservedSpace);
  }

  /** The same with another bound on open segment files. */
  public DiskOptions withMaxOpenFiles(int maxOpenFiles) {
    return with(unitSize, segmentSize, reads, maxOpenFiles, catalogMemory);
  }

  /** The same with another catalog limit. */
  public DiskOptions withCatalogMemory(long catalogMemory) {
    return with(unitSize, segmentSize, reads, maxOpenFiles, catalogMemory);
  }

  /** The same, read in another way. */
  public DiskOptions withReads(ReadOptions reads) {
    return with(unitSize, segmentSize, reads, maxOpenFiles, catalogMemory);
  }

  private DiskOptions with(
      int unitSize, long segmentSize, ReadOptions reads, int maxOpenFiles, long catalogMemory) {
    return new DiskOptions(
        unitSize,
        stagingBuffers,
        writesAtOnce,
        segmentSize,
        reads,
        maxOpenFiles,
        catalogMemory,
        reservedSpace);
  }
}
