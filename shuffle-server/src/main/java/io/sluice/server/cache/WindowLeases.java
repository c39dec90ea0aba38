package io.sluice.server.cache;

import io.sluice.server.disk.ReadOptions;

/**
 * Which filled windows may be leased to readers. A leased window stays as long as its reader likes,
 * so that is bounded: by half of the memory for windows, and by what leaves one window more than
 * there are read threads. Whoever comes when that is leased gets copies. Confined to the cache's
 * lock.
 *
 * <p>What counts are blocks of the size of the largest window: a small one that stays in a block
 * keeps a large one out of it.
 */
final class WindowLeases {
  /**
   * What is smaller is copied. Leases of 9 KiB took 0.10 cpu-s/GB less than copies of it ({@code
   * docs/read-path.md}).
   */
  private static final int LEAST = 4 << 10;

  private final int block;
  private final int most;
  // Of each block, leases of windows in it.
  private final int[] leases;
  private int leased;

  WindowLeases(ReadOptions options) {
    block = options.window();
    int blocks = options.cache() / block;
    leases = new int[blocks];
    most = Math.max(0, Math.min(blocks / 2, blocks - options.threads() - 1));
  }

  /**
   * Begins a lease; false if the bytes are to be copied.
   *
   * @param window filled
   */
  boolean begin(Window window, int length) {
    int number = window.memoryOffset / block;
    if (length < LEAST || (leases[number] == 0 && leased == most)) {
      return false;
    }
    if (leases[number]++ == 0) {
      leased++;
    }
    window.users++;
    return true;
  }

  /** Ends one of the window. */
  void end(Window window) {
    int number = window.memoryOffset / block;
    if (leases[number] == 0) {
      throw new IllegalStateException("a lease of a window was ended twice");
    }
    if (--leases[number] == 0) {
      leased--;
    }
    window.users--;
  }

  /** Memory that leases keep, in bytes. */
  long bytes() {
    return (long) leased * block;
  }
}
