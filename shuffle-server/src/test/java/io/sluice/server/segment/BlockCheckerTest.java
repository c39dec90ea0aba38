package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Extents that are larger than what is looked at at a time, with headers across its edges. */
class BlockCheckerTest {
  private static final int PARTITION = 7;
  private static final int OFFSET = 4096;
  private static final int[] PAYLOADS = {
    10, BlockChecker.PIECE, 0, BlockChecker.PIECE - 2 * BlockHeader.LENGTH - 20, 3 << 20, 1
  };

  private final BlockChecker checker = new BlockChecker();
  private final Bytes file = new Bytes(blocks());

  private static ByteBuffer blocks() {
    int length = OFFSET;
    for (int payload : PAYLOADS) {
      length += BlockHeader.LENGTH + payload;
    }
    ByteBuffer bytes = ByteBuffer.allocate(length).position(OFFSET);
    for (int map = 0; map < PAYLOADS.length; map++) {
      TestBlocks.append(bytes, PARTITION, map, PAYLOADS[map]);
    }
    return bytes;
  }

  private boolean intact(int partition, int blocks) throws IOException {
    int length = file.bytes.capacity() - OFFSET;
    return checker.intact(
        file,
        List.of(
            new Extent(
                partition, 1, OFFSET, length, blocks, 0, blocks - 1, new int[0], new int[0])));
  }

  private boolean intact() throws IOException {
    return intact(PARTITION, PAYLOADS.length);
  }

  @Test
  void takesNoMoreMemoryForALongExtent() throws IOException {
    assertThat(intact()).isTrue();
    assertThat(file.longest).isBetween(1, BlockChecker.PIECE);
  }

  @Test
  void seesEachBitThatIsWrong() throws IOException {
    int begin = OFFSET;
    for (int payload : PAYLOADS) {
      int end = begin + BlockHeader.LENGTH + payload;
      for (int at : new int[] {begin, begin + BlockHeader.LENGTH - 1, (begin + end) / 2, end - 1}) {
        file.bytes.put(at, (byte) (file.bytes.get(at) ^ 1));
        assertThat(intact()).as("byte %d", at).isFalse();
        file.bytes.put(at, (byte) (file.bytes.get(at) ^ 1));
      }
      begin = end;
    }
    assertThat(intact()).isTrue();
  }

  @Test
  void countsBlocksAndKnowsWhoseTheyAre() throws IOException {
    assertThat(intact(PARTITION, PAYLOADS.length + 1)).isFalse();
    assertThat(intact(PARTITION + 1, PAYLOADS.length)).isFalse();
    file.ends = file.bytes.capacity() - 1;
    assertThat(intact()).as("a file that is too short").isFalse();
  }

  private static final class Bytes extends ReadOnlyFile {
    final ByteBuffer bytes;
    int ends;
    int longest;

    Bytes(ByteBuffer bytes) {
      this.bytes = bytes;
      this.ends = bytes.capacity();
    }

    @Override
    public int read(ByteBuffer target, long position) {
      longest = Math.max(longest, target.remaining());
      int length = Math.min(target.remaining(), ends - (int) position);
      if (length <= 0) {
        return -1;
      }
      target.put(target.position(), bytes, (int) position, length);
      target.position(target.position() + length);
      return length;
    }

    @Override
    public long length() {
      return ends;
    }
  }
}
