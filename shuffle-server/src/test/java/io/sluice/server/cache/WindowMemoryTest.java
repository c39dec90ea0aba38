package io.sluice.server.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.AlignedBuffers;
import io.sluice.server.disk.ReadOptions;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class WindowMemoryTest {
  private static final int MIB = 1 << 20;

  /** A device takes what lies in one huge page as one piece. */
  @Test
  void noWindowLiesAcrossTwoHugePages() {
    WindowMemory memory = new WindowMemory(MIB, 4 * MIB);

    for (int offset = 0; offset < 4 * MIB; offset += MIB) {
      int intoPage = memory.bytes(offset, MIB).alignmentOffset(0, AlignedBuffers.HUGE_PAGE);
      assertThat(intoPage).isEqualTo(offset % AlignedBuffers.HUGE_PAGE);
    }
  }

  @Test
  void windowsBehindTheFirstPieceHaveMemoryOfTheirOwn() {
    WindowMemory memory = new WindowMemory(8 * MIB, ReadOptions.MEMORY_PIECE + 16 * MIB);
    ByteBuffer before = memory.bytes(ReadOptions.MEMORY_PIECE, 8 * MIB);
    ByteBuffer last = memory.bytes(ReadOptions.MEMORY_PIECE + 8 * MIB, 8 * MIB);

    last.putLong(0, 7);
    before.putLong(0, 5);
    before.putLong(8 * MIB - Long.BYTES, 6);

    assertThat(memory.bytes(ReadOptions.MEMORY_PIECE + 8 * MIB, 8).getLong(0)).isEqualTo(7);
    assertThat(memory.bytes(ReadOptions.MEMORY_PIECE, 8).getLong(0)).isEqualTo(5);
  }
}
