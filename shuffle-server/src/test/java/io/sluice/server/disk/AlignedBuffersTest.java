package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AlignedBuffersTest {
  @ParameterizedTest
  @ValueSource(ints = {12 << 20, (12 << 20) + 4096})
  void whatIsLargeBeginsWithAHugePage(int capacity) {
    ByteBuffer buffer = AlignedBuffers.allocate(capacity);

    assertThat(buffer.alignmentOffset(0, AlignedBuffers.HUGE_PAGE)).isZero();
    assertThat(buffer.capacity()).isEqualTo(capacity);
    assertThat(AlignedBuffers.memoryOf(capacity)).isEqualTo(capacity + AlignedBuffers.HUGE_PAGE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4096, (12 << 20) - 4096})
  void whatIsSmallCostsAPageAtMost(int capacity) {
    ByteBuffer buffer = AlignedBuffers.allocate(capacity);

    assertThat(buffer.alignmentOffset(0, Disk.ALIGNMENT)).isZero();
    assertThat(buffer.capacity()).isEqualTo(capacity);
    assertThat(AlignedBuffers.memoryOf(capacity)).isEqualTo(capacity + Disk.ALIGNMENT);
  }

  @Test
  void whatIsNotWholePagesIsRefused() {
    assertThatThrownBy(() -> AlignedBuffers.allocate(4097))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
