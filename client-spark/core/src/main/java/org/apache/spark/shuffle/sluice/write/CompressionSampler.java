package org.apache.spark.shuffle.sluice.write;

/**
 * Decides which blocks are worth trying to compress. While blocks shrink, all are tried; after
 * {@value #PATIENCE} in a row that did not, only every {@value #SAMPLE}th is, until one shrinks.
 * Used by one thread.
 */
final class CompressionSampler {
  /** Blocks in a row that must fail to shrink before sampling begins. */
  static final int PATIENCE = 4;

  /** While sampling, one block in so many is tried. */
  static final int SAMPLE = 16;

  /** A block is stored compressed only if that saves a {@value}th part of it, 5 %, and a byte. */
  private static final int WORTHWHILE_PART = 20;

  private int failures;
  private int untilSample;

  /** Whether to try the next block; to be asked once per block. */
  boolean shouldTry() {
    if (!isSampling()) {
      return true;
    }
    if (--untilSample > 0) {
      return false;
    }
    untilSample = SAMPLE;
    return true;
  }

  /** Whether only some blocks are tried. */
  boolean isSampling() {
    return failures == PATIENCE;
  }

  /** Reports how a try went; answers whether the compressed form should be used. */
  boolean isWorthwhile(int rawLength, int storedLength) {
    // A codec that cannot shrink a block answers its length, and may have written nothing.
    boolean worthwhile =
        storedLength < rawLength && storedLength <= rawLength - rawLength / WORTHWHILE_PART;
    if (worthwhile) {
      failures = 0;
    } else if (failures < PATIENCE && ++failures == PATIENCE) {
      untilSample = SAMPLE;
    }
    return worthwhile;
  }
}
