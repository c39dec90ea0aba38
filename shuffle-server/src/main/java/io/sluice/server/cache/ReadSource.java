package io.sluice.server.cache;

import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;

/** A file that is read through the cache. Thread-safe. */
public interface ReadSource {
  /** Unique on its disk, and never used again. */
  long number();

  /**
   * Fills a buffer to its limit; blocks. Position, limit and address are aligned.
   *
   * @throws SluiceException if not all of it can be read
   */
  void readWindow(long position, ByteBuffer target);

  /**
   * Fills a buffer of any kind to its limit; blocks.
   *
   * @throws SluiceException if not all of it can be read
   */
  void readExactly(long position, ByteBuffer target);

  /** Keeps the file in place for a load; whoever reads holds it already, so it cannot fail. */
  void retain();

  /** Ends {@link #retain}. */
  void release();
}
