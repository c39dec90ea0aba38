package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PatternTest {
  private static ByteBuffer block(Pattern pattern, int partition, int map, int length) {
    ByteBuffer block = ByteBuffer.allocateDirect(length);
    pattern.write(block, partition, map, length);
    return block.flip();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 12, 13, 1_000, 65_536, Load.BLOCK_BYTES_MAX})
  void aSeedHasOneBlockForAMapAndAPartition(int length) {
    ByteBuffer block = block(new Pattern(7), 3, 4, length);

    assertThat(new Pattern(7).difference(block, 3, 4, length)).isNegative();
    assertThat(block.remaining()).as("not consumed").isEqualTo(length);
  }

  @ParameterizedTest
  @ValueSource(ints = {13, 1_000, 65_536})
  void anothersBlockIsNoticed(int length) {
    Pattern pattern = new Pattern(7);
    ByteBuffer block = block(pattern, 3, 4, length);

    assertThat(pattern.difference(block, 4, 3, length)).isNotNegative();
    assertThat(pattern.difference(block, 3, 5, length)).isNotNegative();
    assertThat(new Pattern(8).difference(block, 3, 4, length)).isNotNegative();
  }

  @Test
  void everyByteCounts() {
    Pattern pattern = new Pattern(7);
    int length = 300;
    ByteBuffer block = block(pattern, 3, 4, length);
    for (int at = 0; at < length; at++) {
      block.put(at, (byte) (block.get(at) ^ 1));
      assertThat(pattern.difference(block, 3, 4, length)).isEqualTo(at);
      block.put(at, (byte) (block.get(at) ^ 1));
    }
    assertThat(pattern.difference(block.limit(299), 3, 4, length)).isEqualTo(299);
  }
}
