package io.sluice.server.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class BlockCounterTest {
  @Property(tries = 300)
  void countsBlocksHoweverTheStreamIsCut(
      @ForAll @Size(max = 8) List<@IntRange(min = 0, max = 200) Integer> lengths,
      @ForAll @IntRange(min = 1, max = 90) int piece) {
    ByteBuffer bytes = ByteBuffer.allocate(8 * 240);
    int at = 0;
    for (int length : lengths) {
      BlockHeader.write(bytes, at, 0, 0, 0, 0, 0, length, length, 1);
      at += BlockHeader.LENGTH + length;
    }
    BlockCounter counter = new BlockCounter();
    for (int from = 0; from < at; from += piece) {
      counter.add(bytes, from, Math.min(piece, at - from));
    }
    assertThat(counter.blocks()).isEqualTo(lengths.size());
  }
}
