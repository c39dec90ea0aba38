package io.sluice.server.cache;

import io.sluice.server.disk.ReadOptions;

/**
 * Which filled windows may be leased to readers. A leased window stays as long as its reader likes,
 * so that is bounded ({@link ReadOptions#leasableWindows}). Whoever comes when that is leased gets
 * copies. Confined to the cache's lock, but for {@link #leaseOf}.
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

  private final Object lock;
  private final WindowTable table;
  private final int block;
  private final int most;
  // Of each block, leases of windows in it.
  private final int[] leases;
  private int leased;

  /**
   * @param lock the cache's
   */
  WindowLeases(ReadOptions options, WindowTable table, Object lock) {
    this.lock = lock;
    this.table = table;
    block = options.window();
    leases = new int[options.cache() / block];
    most = options.leasableWindows();
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
    table.hold(window);
    return true;
  }

  /** For whoever gets the bytes of a lease that has begun. */
  ReadTarget.Lease leaseOf(Window window) {
    return new WindowLease(window);
  }

  private void end(Window window) {
    if (--leases[window.memoryOffset / block] == 0) {
      leased--;
    }
    table.letGo(window);
  }

  /** Nobody waits for it to end: there is always memory that cannot be leased. */
  private final class WindowLease implements ReadTarget.Lease {
    private final Window window;
    private boolean ended;

    WindowLease(Window window) {
      this.window = window;
    }

    @Override
    public void end() {
      synchronized (lock) {
        if (ended) {
          throw new IllegalStateException("the lease of a window was ended twice");
        }
        ended = true;
        WindowLeases.this.end(window);
      }
    }
  }

  /** Memory of the blocks that leases keep, in bytes. */
  long bytes() {
    return (long) leased * block;
  }
}
