package io.sluice.benchmarks.storage.floor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CopyFloorTest {
  private static final long BYTES = 64L << 20;

  @ParameterizedTest
  @CsvSource({"16777216, 40", "16777216, 6719", "1, 262144", "67108864, 1000000"})
  void anyBlockFindsAPlaceAndTakesTime(long memory, long block) {
    CopyFloor floor = new CopyFloor(memory, block);
    assertThat(floor.written(BYTES)).isPositive();
  }

  @ParameterizedTest
  @CsvSource({"6719", "170000"})
  void whatIsNotMeasuredCountsAsMuchAsWhatIs(long block) {
    CopyFloor floor = new CopyFloor(16 << 20, block);
    // Of so many only the first part is gone through; or this would not end.
    assertThat(floor.written(1L << 50)).isGreaterThan(1e3);
  }
}
