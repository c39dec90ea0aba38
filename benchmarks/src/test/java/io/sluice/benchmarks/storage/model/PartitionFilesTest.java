package io.sluice.benchmarks.storage.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import io.sluice.benchmarks.storage.StorageCase;
import org.junit.jupiter.api.Test;

class PartitionFilesTest {
  private static final long MIB = 1 << 20;
  private static final StorageCase SHAPE =
      new StorageCase(100, 1, 512 * MIB, 64 * MIB, 8 << 20, 32 * MIB, 2, 16, 4);

  @Test
  void appendsWhatMemoryHoldsOfAPartition() {
    PhaseFigures written = new PartitionFiles(SHAPE, SeekRule.always).run(Phase.write);

    assertThat(written.access().writtenBytes()).isEqualTo(512 * MIB);
    // Half of the arena over a hundred partitions.
    assertThat(written.meanWrite()).isBetween(0.8 * MIB / 4, 1.2 * MIB / 2);
    double seconds = written.access().writes() * 8.15e-3 + 512.0 / 176;
    assertThat(written.seconds()).isCloseTo(seconds, withPercentage(1));
  }

  @Test
  void readingSeeksForEveryAppend() {
    PartitionFiles files = new PartitionFiles(SHAPE, SeekRule.jumps);
    PhaseFigures written = files.run(Phase.write);
    PhaseFigures read = files.run(Phase.read);

    assertThat(read.bytes()).isEqualTo(written.bytes());
    assertThat((double) read.access().seeks())
        .isCloseTo((double) written.access().writes(), withPercentage(15));
  }

  @Test
  void aMixedPhaseReadsAsMuchAsItWrites() {
    PartitionFiles files = new PartitionFiles(SHAPE, SeekRule.jumps);
    files.run(Phase.write);
    PhaseFigures mixed = files.run(Phase.mixed);

    assertThat(mixed.bytes()).isEqualTo(1024 * MIB);
    assertThat(mixed.access().readBytes()).isEqualTo(mixed.access().writtenBytes());
  }

  @Test
  void readersOfTheSameFileReadItEach() {
    PartitionFiles files = new PartitionFiles(SHAPE, SeekRule.jumps);
    files.run(Phase.write);
    PhaseFigures shared = files.run(Phase.shared);

    assertThat(shared.bytes()).isEqualTo(512 * MIB);
    assertThat(shared.readAmplification()).isEqualTo(SHAPE.readers());
  }

  @Test
  void readersOfSomeMapsReadTheWholeFile() {
    PartitionFiles files = new PartitionFiles(SHAPE, SeekRule.jumps);
    files.run(Phase.write);
    PhaseFigures ranges = files.run(Phase.ranges);

    assertThat(ranges.bytes()).isEqualTo(512 * MIB);
    assertThat(ranges.readAmplification()).isEqualTo(SHAPE.ranges());
  }
}
