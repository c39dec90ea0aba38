package io.sluice.server;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A block as a test names it; its payload follows from the other fields. */
record TestBlock(int partition, int map, long attempt, int sequence, int stored) {
  int length() {
    return BlockHeader.LENGTH + stored;
  }

  ByteBuffer bytes() {
    ByteBuffer bytes = ByteBuffer.allocateDirect(length());
    BlockHeader.write(bytes, 0, 0, partition, map, attempt, sequence, stored, stored, 1);
    SplittableRandom random = new SplittableRandom(hashCode());
    for (int i = 0; i < stored; i += Long.BYTES) {
      long value = random.nextLong();
      for (int j = i; j < Math.min(stored, i + Long.BYTES); j++) {
        bytes.put(BlockHeader.LENGTH + j, (byte) (value >>> (8 * (j - i))));
      }
    }
    BlockHeader.seal(bytes, 0, new Crc32c());
    return bytes;
  }

  /** All blocks of a concatenation; fails on anything that is not whole and intact. */
  static List<TestBlock> parse(ByteBuffer bytes) {
    List<TestBlock> blocks = parseWhole(bytes);
    int length = blocks.stream().mapToInt(TestBlock::length).sum();
    if (length != bytes.limit()) {
      throw new AssertionError(bytes.limit() - length + " bytes are no whole block");
    }
    return blocks;
  }

  /** The same, but the last one may have been broken off, and is left out then. */
  static List<TestBlock> parseWhole(ByteBuffer bytes) {
    List<TestBlock> blocks = new ArrayList<>();
    Crc32c crc = new Crc32c();
    int at = 0;
    while (isWholeAt(at, bytes)) {
      BlockHeader.validate(bytes, at, Integer.MAX_VALUE);
      if (!BlockHeader.crcMatches(bytes, at, crc)) {
        throw new AssertionError("CRC is wrong: " + BlockHeader.describe(bytes, at));
      }
      TestBlock block =
          new TestBlock(
              BlockHeader.partition(bytes, at),
              BlockHeader.mapIndex(bytes, at),
              BlockHeader.attemptId(bytes, at),
              BlockHeader.sequence(bytes, at),
              BlockHeader.storedLength(bytes, at));
      blocks.add(block);
      at += block.length();
    }
    return blocks;
  }

  private static boolean isWholeAt(int at, ByteBuffer bytes) {
    int left = bytes.limit() - at;
    return left >= BlockHeader.LENGTH
        && left >= BlockHeader.LENGTH + BlockHeader.storedLength(bytes, at);
  }
}
