package io.sluice.server.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.AlignedBuffers;
import io.sluice.server.disk.ReadOptions;
import org.junit.jupiter.api.Test;

class WindowMemoryTest {
  private static final int MIB = 1 << 20;

  /** A device takes what lies in one huge page as one piece. */
  @Test
  void noWindowLiesAcrossTwoHugePages() {
    WindowMemory memory = new WindowMemory(MIB, 12 * MIB);

    for (int offset = 0; offset < 12 * MIB; offset += MIB) {
      int intoPage = memory.bytes(offset, MIB).alignmentOffset(0, AlignedBuffers.HUGE_PAGE);
      assertThat(intoPage).isEqualTo(offset % AlignedBuffers.HUGE_PAGE);
    }
  }

  @Test
  void windowsBehindTheFirstPieceHaveMemoryOfTheirOwn() {
    WindowMemory memory = new WindowMemory(8 * MIB, ReadOptions.MEMORY_PIECE + 16 * MIB);
    int behind = ReadOptions.MEMORY_PIECE;
    memory.bytes(0, 8 * MIB).putLong(0, 5);
    memory.bytes(8 * MIB, 8 * MIB).putLong(0, 6);
    memory.bytes(behind, 8 * MIB).putLong(0, 7);
    memory.bytes(behind + 8 * MIB, 8 * MIB).putLong(0, 8);

    assertThat(memory.bytes(0, 8).getLong(0)).isEqualTo(5);
    assertThat(memory.bytes(8 * MIB, 8).getLong(0)).isEqualTo(6);
    assertThat(memory.bytes(behind, 8).getLong(0)).isEqualTo(7);
    assertThat(memory.bytes(behind + 8 * MIB, 8).getLong(0)).isEqualTo(8);
  }
}
