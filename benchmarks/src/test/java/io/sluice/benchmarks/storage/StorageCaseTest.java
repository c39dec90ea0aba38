package io.sluice.benchmarks.storage;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StorageCaseTest {
  @Test
  void survivesTheWayBetweenProcesses() {
    StorageCase shape = new StorageCase(7, 3, 1L << 33, 1L << 30, 4 << 20, 32 << 20, 2, 16, 8);

    assertThat(StorageCase.parse(shape.arguments())).isEqualTo(shape);
  }

  @Test
  void isNamedByWhatMakesItCheapOrDear() {
    StorageCase shape = new StorageCase(20_000, 2, 1L << 33, 1 << 30, 4 << 20, 128 << 20, 2, 16, 8);

    assertThat(shape.name()).isEqualTo("P=20000 x 2 shuffles, blocks of 6.5 KiB");
  }
}
