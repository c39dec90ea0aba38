package io.sluice.benchmarks.storage.load;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** What payloads are made of: nothing that a disk or a network could compress. One thread's. */
final class RandomBytes {
  private final SplittableRandom random;

  RandomBytes(long seed) {
    random = new SplittableRandom(seed);
  }

  /** Fills a buffer to its capacity; position and limit stay. */
  void fill(ByteBuffer buffer) {
    ByteBuffer all = buffer.duplicate().clear();
    while (all.remaining() >= Long.BYTES) {
      all.putLong(random.nextLong());
    }
  }
}
