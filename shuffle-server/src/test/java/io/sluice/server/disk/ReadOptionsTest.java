package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReadOptionsTest {
  private static final int MIB = 1 << 20;

  @ParameterizedTest
  @CsvSource({"0,4,5", "8,4,8", "16,4,16", "20,5,20", "32,8,32", "64,8,64", "4096,8,64"})
  void aQuarterOfTheMemoryMayBeOnItsWay(long mib, int threads, int windows) {
    ReadOptions flash = ReadOptions.ssd().withCache(mib * MIB);

    assertThat(flash.threads()).isEqualTo(threads);
    assertThat(flash.cache()).isEqualTo(windows * MIB);
  }

  @Test
  void aSpindleHasOneReadUnderWayWhateverTheMemory() {
    assertThat(ReadOptions.hdd().withCache(1L << 40).threads()).isEqualTo(1);
    assertThat(ReadOptions.hdd().withCache(0).cache()).isEqualTo(2 * 8 * MIB);
  }

  @ParameterizedTest
  @CsvSource({"8,10", "64,66", "72,76", "128,132"})
  void memoryIsTakenInPiecesOf64MibEachAlignedToAHugePage(int mib, int taken) {
    ReadOptions flash = new ReadOptions(4, 16, MIB, 0, mib * MIB);

    assertThat(flash.directMemory()).isEqualTo((long) taken * MIB);
  }
}
