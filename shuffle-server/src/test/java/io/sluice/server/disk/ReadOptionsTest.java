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
  @CsvSource({"0,0", "8,3", "16,8", "48,24", "64,32"})
  void readersThatKeepWhatTheyMayLeaveRoomForReadsAndForAConvoy(long mib, int leasable) {
    ReadOptions flash = ReadOptions.ssd().withCache(mib * MIB);

    assertThat(flash.leasableWindows()).isEqualTo(leasable);
    int left = flash.cache() / MIB - leasable;
    assertThat(left).isGreaterThan(flash.threads());
    // Who is ahead makes what it used young as it goes, and so does who follows.
    assertThat(2 * flash.readerSpread()).isLessThanOrEqualTo((long) left * MIB);
  }

  @Test
  void aSpindlesWindowsAreNotLeased() {
    assertThat(ReadOptions.hdd().leasableWindows()).isZero();
    assertThat(ReadOptions.hdd().readerSpread()).isEqualTo(56L * MIB);
  }

  /** Of a flash disk one piece, of a spindle several: what each loses is that of its buffer. */
  @ParameterizedTest
  @CsvSource({"16,16", "64,64", "72,64:8", "128,64:64"})
  void memoryIsTakenInPiecesOf64Mib(int mib, String pieces) {
    ReadOptions options = new ReadOptions(4, 16, MIB, 0, mib * MIB);

    long taken = 0;
    for (String piece : pieces.split(":")) {
      taken += AlignedBuffers.memoryOf(Integer.parseInt(piece) * MIB);
    }
    assertThat(options.directMemory()).isEqualTo(taken);
  }
}
