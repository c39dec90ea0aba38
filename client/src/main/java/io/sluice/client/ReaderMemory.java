package io.sluice.client;

/**
 * What an engine says to the memory that a reader takes. Called by the thread that makes the reader
 * and by the one that reads, never by an event loop. May not fail: what is needed is taken, counted
 * or not.
 */
public interface ReaderMemory {
  /** Counts nothing, and leaves the credit as it is configured. */
  ReaderMemory UNCOUNTED =
      new ReaderMemory() {
        @Override
        public long credit(long wanted) {
          return wanted;
        }

        @Override
        public void held(long bytes) {}
      };

  /**
   * Bytes that servers may have under way to the reader. Asked once, before the first request.
   *
   * @param wanted what is configured
   * @return less if there is little memory; a reader with less than {@link
   *     ClientConfig#LEAST_READER_CREDIT_BYTES} takes that
   */
  long credit(long wanted);

  /**
   * What the reader holds besides has grown: records that are longer than a block, until they are
   * whole and delivered.
   *
   * @param bytes by which; negative if it has shrunk
   */
  void held(long bytes);
}
