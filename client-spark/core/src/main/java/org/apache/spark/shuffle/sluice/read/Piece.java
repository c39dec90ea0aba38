package org.apache.spark.shuffle.sluice.read;

/**
 * Whole records of one map attempt and one partition, decrypted and decompressed. What is in it
 * stays as it is until two further pieces were asked for.
 */
public final class Piece {
  private final byte[] bytes;
  private final int length;
  private final BlockName firstBlock;

  Piece(byte[] bytes, int length, BlockName firstBlock) {
    this.bytes = bytes;
    this.length = length;
    this.firstBlock = firstBlock;
  }

  /** The records, from index 0 to {@link #length()}. */
  public byte[] bytes() {
    return bytes;
  }

  /** Never 0. */
  public int length() {
    return length;
  }

  /** The block that it was made of, or the first of several that a record spans. */
  BlockName firstBlock() {
    return firstBlock;
  }
}
