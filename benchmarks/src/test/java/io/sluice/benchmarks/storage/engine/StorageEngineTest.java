package io.sluice.benchmarks.storage.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.benchmarks.storage.Phase;
import io.sluice.benchmarks.storage.PhaseFigures;
import io.sluice.benchmarks.storage.StorageCase;
import io.sluice.benchmarks.storage.disk.DiskLoad;
import io.sluice.benchmarks.storage.disk.DiskTurn;
import io.sluice.benchmarks.storage.model.ModelledSite;
import io.sluice.benchmarks.storage.model.PartitionFiles;
import io.sluice.benchmarks.storage.model.SeekRule;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StorageEngineTest {
  private static final int MIB = 1 << 20;

  // The smallest arena that has room for the seeds of 512 connections.
  private static final StorageCase SHAPE =
      new StorageCase(50, 3, 96L * MIB, 64L * MIB, 4 * MIB, 4L * MIB, 2, 5, 3);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path directory;

  @Test
  void writesReadsAndRemovesOnThisMachine() throws Exception {
    try (Site site = site(directory)) {
      StorageEngine engine = new StorageEngine(SHAPE, site);
      PhaseFigures written = engine.run(Phase.write);
      PhaseFigures mixed = engine.run(Phase.mixed);
      PhaseFigures read = engine.run(Phase.read);
      engine.discard();

      checkWrite(written);
      assertThat(mixed.bytes()).isGreaterThan(mixed.pushedBytes());
      assertThat(mixed.access().reads()).isPositive();
      // The second round's bytes, which the mixed phase pushed.
      assertThat(read.bytes()).isEqualTo(mixed.pushedBytes());
      assertThat(read.access().readBytes()).isGreaterThanOrEqualTo(read.bytes());
      assertThat(read.access().writes()).isZero();
      assertThat(written.cpuSeconds()).isPositive();
      assertThat(written.clientCpuSeconds()).isPositive();
      assertThat(segments()).isEmpty();
    }
  }

  @Test
  void nothingIsWrittenInTheTurnsOfAnother() throws Exception {
    DiskTurn turn = turn(directory);
    try (Site site = new MachineSite(directory, turn)) {
      StorageEngine engine = new StorageEngine(SHAPE, site);
      turn.begin();
      CompletableFuture<PhaseFigures> phase =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return engine.run(Phase.write);
                } catch (Exception e) {
                  throw new CompletionException(e);
                } finally {
                  turn.end();
                }
              });
      for (long upTo = 16L * MIB; upTo <= 64L * MIB; upTo += 16L * MIB) {
        assertThat(turn.take(16 * MIB)).isFalse();
        // The last one that began in the turn, with its header.
        assertThat(site.reading().access().writtenBytes()).isBetween(upTo, upTo + 5L * MIB);
      }
      assertThat(turn.take(Long.MAX_VALUE)).isTrue();
      checkWrite(phase.get(30, TimeUnit.SECONDS));
      engine.discard();
    }
  }

  @Test
  void aModelledDiskIsNeverFasterThanItsSpindle() throws Exception {
    try (Site site = new ModelledSite(directory, SeekRule.jumps)) {
      StorageEngine engine = new StorageEngine(SHAPE, site);
      PartitionFiles files = new PartitionFiles(SHAPE, SeekRule.jumps);
      for (Phase phase : Phase.USUAL) {
        PhaseFigures figures = engine.run(phase);

        assertThat(figures.gbps()).isPositive().isLessThan(files.sequential(phase).gbps() * 1.001);
        if (phase == Phase.write) {
          checkWrite(figures);
        }
      }
    }
  }

  @Test
  void aHundredReadersOfOnePartitionCostOneReadOfEachByte() throws Exception {
    try (Site site = site(directory)) {
      readAllAtOnce(site);
    }
  }

  @Test
  void aHundredReadersOfOnePartitionCostASpindleOneReadOfEachByte() throws Exception {
    try (Site site = new ModelledSite(directory, SeekRule.always)) {
      readAllAtOnce(site);
    }
  }

  /** The engine compares what each reader got with what was written. */
  private static void readAllAtOnce(Site site) throws Exception {
    StorageEngine engine =
        new StorageEngine(
            new StorageCase(1, 1, 128L * MIB, 64L * MIB, 4 * MIB, 32L * MIB, 2, 100, 1), site);
    PhaseFigures written = engine.run(Phase.write);
    PhaseFigures shared = engine.run(Phase.shared);
    engine.discard();

    assertThat(shared.bytes()).isEqualTo(written.bytes());
    assertThat(shared.readAmplification()).isBetween(1.0, 1.1);
  }

  @Test
  void readersOfRangesOfMapsCostOneReadOfEachByte() throws Exception {
    try (Site site = site(directory)) {
      readRanges(site, 1.15);
    }
  }

  @Test
  void readersOfRangesOfMapsCostASpindleFewReadsOfEachByte() throws Exception {
    try (Site site = new ModelledSite(directory, SeekRule.always)) {
      readRanges(site, 1.6);
    }
  }

  /** Sixteen maps that write at once, two tasks at a time that read a map each. */
  private static void readRanges(Site site, double most) throws Exception {
    StorageEngine engine =
        new StorageEngine(
            new StorageCase(1, 1, 256L * MIB, 64L * MIB, 4 * MIB, 16L * MIB, 16, 2, 16), site);
    PhaseFigures written = engine.run(Phase.write);
    PhaseFigures ranges = engine.run(Phase.ranges);
    engine.discard();

    assertThat(ranges.bytes()).isEqualTo(written.bytes());
    assertThat(ranges.readAmplification()).isBetween(1.0, most);
  }

  private static void checkWrite(PhaseFigures written) {
    assertThat((double) written.bytes()).isBetween(80.0 * MIB, 110.0 * MIB);
    assertThat(written.pushedBytes()).isEqualTo(written.bytes());
    assertThat(written.access().writtenBytes()).isGreaterThanOrEqualTo(written.bytes());
    assertThat(written.writeAmplification()).isBetween(1.0, 1.5);
    assertThat(written.meanWrite()).isGreaterThan(256 * 1024);
  }

  @Test
  void whatIsSpoiltOnTheDiskIsNoticed() throws Exception {
    try (Site site = site(directory)) {
      StorageEngine engine = new StorageEngine(SHAPE, site);
      engine.run(Phase.write);
      spoil(segments().get(0));

      assertThatThrownBy(() -> engine.run(Phase.read)).isInstanceOf(Exception.class);
    }
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      return files.toList();
    }
  }

  /** A mebibyte of zeros in the middle, where blocks are. */
  private static void spoil(Path segment) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(file.length() / 2);
      file.write(new byte[MIB]);
    }
  }

  private static Site site(Path directory) {
    return new MachineSite(directory, turn(directory));
  }

  private static DiskTurn turn(Path directory) {
    return new DiskTurn(Clock.system(), DiskLoad.of(directory));
  }
}
