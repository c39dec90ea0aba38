package io.sluice.common.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class BlockHeaderTest {
  private static final int OFFSET = 7;
  private final Crc32c crc = new Crc32c();

  @Test
  void readsBackWhatWasWrittenAtAnOffset() {
    ByteBuffer block = block(BlockHeader.LAST | BlockHeader.codecFlags(5), 100);

    assertThat(BlockHeader.flags(block, OFFSET)).isEqualTo(0x51);
    assertThat(BlockHeader.isLast(block, OFFSET)).isTrue();
    assertThat(BlockHeader.codec(block, OFFSET)).isEqualTo(5);
    assertThat(BlockHeader.partition(block, OFFSET)).isEqualTo(11);
    assertThat(BlockHeader.mapIndex(block, OFFSET)).isEqualTo(22);
    assertThat(BlockHeader.attemptId(block, OFFSET)).isEqualTo(-33L);
    assertThat(BlockHeader.sequence(block, OFFSET)).isEqualTo(44);
    assertThat(BlockHeader.rawLength(block, OFFSET)).isEqualTo(55);
    assertThat(BlockHeader.storedLength(block, OFFSET)).isEqualTo(100);
    assertThat(BlockHeader.recordCount(block, OFFSET)).isEqualTo(66);
    assertThat(block.position()).isZero();
  }

  @Test
  void noticesEveryFlippedBit() {
    ByteBuffer block = block(BlockHeader.LAST, 32);
    for (int bit = 0; bit < (BlockHeader.LENGTH + 32) * 8; bit++) {
      int at = OFFSET + bit / 8;
      // A flipped length would make the CRC cover other bytes, possibly past the end.
      boolean inLength = at >= OFFSET + 28 && at < OFFSET + 32;
      if (inLength) {
        continue;
      }
      block.put(at, (byte) (block.get(at) ^ (1 << bit % 8)));
      assertThat(BlockHeader.crcMatches(block, OFFSET, crc)).as("bit %d", bit).isFalse();
      block.put(at, (byte) (block.get(at) ^ (1 << bit % 8)));
    }
    assertThat(BlockHeader.crcMatches(block, OFFSET, crc)).isTrue();
  }

  @Test
  void computesTheSameCrcInPieces() {
    ByteBuffer block = block(0, 1000);
    BlockHeader.beginCrc(block, OFFSET, crc);
    crc.update(block, OFFSET + BlockHeader.LENGTH, 1);
    crc.update(block, OFFSET + BlockHeader.LENGTH + 1, 999);
    assertThat(crc.value()).isEqualTo(BlockHeader.crc(block, OFFSET));
  }

  @Test
  void refusesWrongMagicVersionFlagsAndNegativeNumbers() {
    assertRefused(0, (byte) 0);
    assertRefused(2, (byte) 9);
    assertRefused(3, (byte) 0x08);
    for (int field : new int[] {4, 8, 12, 24, 28, 32}) {
      assertRefused(field, (byte) 0x80);
    }
  }

  @Test
  void refusesPayloadsOverTheLimit() {
    ByteBuffer block = block(0, 100);
    BlockHeader.validate(block, OFFSET, 100);
    assertThatThrownBy(() -> BlockHeader.validate(block, OFFSET, 99))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BLOCK_TOO_LARGE));
  }

  private void assertRefused(int at, byte value) {
    ByteBuffer block = block(0, 10);
    block.put(OFFSET + at, value);
    assertThatThrownBy(() -> BlockHeader.validate(block, OFFSET, 1 << 20))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BLOCK));
  }

  private ByteBuffer block(int flags, int stored) {
    ByteBuffer block = ByteBuffer.allocateDirect(OFFSET + BlockHeader.LENGTH + stored);
    BlockHeader.write(block, OFFSET, flags, 11, 22, -33L, 44, 55, stored, 66);
    for (int i = 0; i < stored; i++) {
      block.put(OFFSET + BlockHeader.LENGTH + i, (byte) (i * 31));
    }
    BlockHeader.seal(block, OFFSET, crc);
    return block;
  }
}
