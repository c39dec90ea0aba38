package io.sluice.benchmarks.storage.floor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class RawBuffersTest {
  private static final int UNIT = 4096;

  @Test
  void threadsShareAllBuffersAndNoneIsOfTwo() {
    RawBuffers buffers = new RawBuffers(new Accesses(3, UNIT, 7));
    byte mark = 1;
    for (int thread = 0; thread < 3; thread++) {
      List<ByteBuffer> share = buffers.share(thread, 3);
      assertThat(share).hasSizeBetween(2, 3).allMatch(buffer -> buffer.capacity() == UNIT);
      for (ByteBuffer buffer : share) {
        assertThat(buffer.get(0)).isZero();
        buffer.put(0, mark++);
      }
    }
    assertThat(mark).isEqualTo((byte) 8);
  }
}
