package org.apache.spark.shuffle.sluice.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SerializedBytesTest {
  @Test
  void growsToItsBoundAndRefusesMoreByName() {
    SerializedBytes bytes = new SerializedBytes(10_000);
    byte[] written = new byte[9_999];
    Arrays.fill(written, (byte) 7);
    bytes.write(written, 0, written.length);
    bytes.write(8);

    assertThat(bytes.size()).isEqualTo(10_000);
    assertThat(Arrays.copyOf(bytes.bytes(), 9_999)).isEqualTo(written);
    assertThat(bytes.bytes()[9_999]).isEqualTo((byte) 8);
    assertThatThrownBy(() -> bytes.write(9))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BLOCK_TOO_LARGE))
        .hasMessageContaining("10001 serialised bytes");
  }

  @Test
  void refusesWhatNoArrayHoldsBeforeItAsksForMemory() {
    SerializedBytes bytes = new SerializedBytes();
    bytes.write(1);
    assertThatThrownBy(() -> bytes.write(new byte[0], 0, SerializedBytes.MAX))
        .isInstanceOf(SluiceException.class);
  }

  @Test
  void keepsAnArrayForTheNextRecordUnlessItIsLong() {
    SerializedBytes bytes = new SerializedBytes();
    bytes.write(new byte[1 << 20], 0, 1 << 20);
    bytes.reset();
    assertThat(bytes.size()).isZero();
    assertThat(bytes.capacity()).isGreaterThanOrEqualTo(1 << 20);

    bytes.write(new byte[8 << 20], 0, 8 << 20);
    bytes.reset();
    assertThat(bytes.capacity()).isLessThan(1 << 20);
  }
}
