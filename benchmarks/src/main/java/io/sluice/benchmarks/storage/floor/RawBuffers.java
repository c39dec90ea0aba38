package io.sluice.benchmarks.storage.floor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory for accesses that are under way at a time, a buffer each, for as long as the process
 * lives. One piece that begins where a huge page may: a device is given each piece of a buffer that
 * lies elsewhere in memory, and reads into scattered pages of 4 KiB at two thirds of its speed.
 */
final class RawBuffers {
  private static final int HUGE_PAGE = 2 << 20;

  private final ByteBuffer all;
  private final int count;
  private final int size;

  RawBuffers(Accesses accesses) {
    this.count = accesses.buffers();
    this.size = accesses.unit();
    ByteBuffer raw =
        ByteBuffer.allocateDirect(Math.addExact(Math.multiplyExact(count, size), HUGE_PAGE));
    this.all = raw.slice(HUGE_PAGE - raw.alignmentOffset(0, HUGE_PAGE), count * size);
  }

  /** Those of one of so many threads. */
  List<ByteBuffer> share(int thread, int threads) {
    List<ByteBuffer> share = new ArrayList<>();
    for (int number = thread; number < count; number += threads) {
      share.add(of(number));
    }
    return share;
  }

  /** Bytes of each. */
  int size() {
    return size;
  }

  /** All of one of them; the same memory every time. */
  ByteBuffer of(int number) {
    return all.slice(number * size, size);
  }
}
