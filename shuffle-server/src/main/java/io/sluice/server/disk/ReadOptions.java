package io.sluice.server.disk;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;

/**
 * How one disk is read (docs/read-path.md). All sizes in bytes.
 *
 * @param threads reads under way at once
 * @param maxWaiting reads waiting for the disk; more are refused with TOO_MANY_STREAMS
 * @param window the most that one read takes, neighbours included; a power of two of at least 16
 *     KiB
 * @param gap that two waiting reads may leave between them and still be made one
 * @param cache memory for what was read, a multiple of the window, at least one more than there are
 *     threads
 */
public record ReadOptions(int threads, int maxWaiting, int window, int gap, int cache) {
  /**
   * Memory for windows is taken from the system in pieces of so many bytes, the last one smaller: a
   * flash disk's is one. Clearing it takes some ten milliseconds, once.
   */
  public static final int MEMORY_PIECE = 64 << 20;

  private static final int WINDOW_MIN = 16 << 10;
  private static final int WINDOW_MAX = MEMORY_PIECE;
  private static final int LEASED_WINDOW_MAX = 1 << 20;
  // One window for each unit that a partition is spread over: data may be so many times the memory.
  private static final int CACHE_WINDOWS_MAX = 64;
  // A quarter of the memory may be on its way.
  private static final int WINDOWS_PER_THREAD = 4;
  private static final int THREADS_AT_ANY_SIZE = 4;

  public ReadOptions {
    require(threads >= 1 && threads <= 64, "read threads must be 1 to 64", threads);
    require(maxWaiting >= 1, "waiting reads must be at least 1", maxWaiting);
    require(
        Integer.bitCount(window) == 1 && window >= WINDOW_MIN && window <= WINDOW_MAX,
        "read window must be a power of two between 16 KiB and 64 MiB",
        window);
    require(gap >= 0 && gap < window, "gap must be smaller than the window", gap);
    require(
        cache % window == 0 && cache / window > threads,
        "read cache must hold whole windows, one more than there are read threads,",
        cache);
  }

  private static void require(boolean holds, String rule, long value) {
    if (!holds) {
      throw new SluiceException(ErrorCode.INVALID_CONFIGURATION, rule + ", not " + value);
    }
  }

  /**
   * Flash: eight windows of 1 MiB under way; with four it is not always busy ({@code
   * docs/benchmarks/storage.md}). A gap of 16 KiB takes as long to read as another access takes to
   * begin.
   */
  public static ReadOptions ssd() {
    return new ReadOptions(8, 16 << 10, 1 << 20, 16 << 10, 64 << 20);
  }

  /**
   * A spindle: one window of 8 MiB at a time, which takes 45 ms beside a seek of 8; a gap of 1 MiB
   * takes 6 ms.
   */
  public static ReadOptions hdd() {
    return new ReadOptions(1, 16 << 10, 8 << 20, 1 << 20, 128 << 20);
  }

  /**
   * The same with so much memory, but no less than can work and no more than is of use. With little
   * of it fewer reads are under way: what they are being read into is not there for readers.
   */
  public ReadOptions withCache(long bytes) {
    int windows = (int) Math.min(bytes / window, CACHE_WINDOWS_MAX);
    int share = Math.max(THREADS_AT_ANY_SIZE, windows / WINDOWS_PER_THREAD);
    int underWay = Math.min(threads, share);
    return new ReadOptions(
        underWay, maxWaiting, window, gap, Math.max(windows, underWay + 1) * window);
  }

  /** The same with so many reads under way. */
  public ReadOptions withThreads(int count) {
    return new ReadOptions(count, maxWaiting, window, gap, cache);
  }

  /**
   * How many windows' memory readers may keep in place by leases: half of it, and what leaves one
   * window more than there are read threads, so that whoever waits for a read never waits for a
   * lease to end. None where windows are larger than a flash disk's: a lease of 256 KiB would keep
   * 8 MiB, and what a spindle reads in a second costs little to copy.
   */
  public int leasableWindows() {
    int windows = cache / window;
    return window > LEASED_WINDOW_MAX
        ? 0
        : Math.max(0, Math.min(windows / 2, windows - threads - 1));
  }

  /**
   * How far apart readers of the same bytes may be to find what the first of them had read: half of
   * the memory that cannot be leased, less the window that is being read. The other half is for
   * what the last of them has used just now, which goes no sooner than what lies between them, and
   * for others who read meanwhile, as far as leases leave room.
   */
  public long readerSpread() {
    return Math.max(window / 2, (cache - leasableWindows() * window) / 2 - window);
  }

  /** Direct memory that this takes. */
  public long directMemory() {
    int rest = cache % MEMORY_PIECE;
    long whole = cache / MEMORY_PIECE * AlignedBuffers.memoryOf(MEMORY_PIECE);
    return rest == 0 ? whole : whole + AlignedBuffers.memoryOf(rest);
  }

  /** Small windows for small units: a quarter of a unit, and memory for sixteen. */
  static ReadOptions ofUnit(int unitSize, int threads, int maxWaiting) {
    int window = Math.max(WINDOW_MIN, Integer.highestOneBit(unitSize / 4));
    return new ReadOptions(threads, maxWaiting, window, 4096, window * Math.max(16, threads + 1));
  }
}
