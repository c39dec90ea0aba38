package io.sluice.benchmarks.storage.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class SpindleTest {
  private static final long MIB = 1 << 20;

  private final VirtualTime time = new VirtualTime();

  @Test
  void anAccessCostsItsSeekAndItsBytes() {
    assertThat(Spindle.cost(false, 176 * MIB)).isEqualTo(1_000_000_000L);
    assertThat(Spindle.cost(true, 0)).isEqualTo(8_150_000L);
    // The curve this was taken from: 27 and 131 MB/s.
    assertThat(256 * 1024 / (Spindle.cost(true, 256 * 1024) / 1e3)).isBetween(26.0, 28.5);
    assertThat(8 * MIB / (Spindle.cost(true, 8 * MIB) / 1e3)).isBetween(130.0, 157.0);
  }

  @Test
  void onlyJumpsSeek() {
    Spindle spindle = new Spindle(time, SeekRule.jumps);
    long there = spindle.allocate(3 * MIB);

    long first = spindle.write(there, MIB);
    long second = spindle.write(there + MIB, MIB);
    long third = spindle.read(there, MIB);

    assertThat(first).isEqualTo(Spindle.cost(true, MIB));
    assertThat(second - first).isEqualTo(Spindle.cost(false, MIB));
    assertThat(third - second).isEqualTo(Spindle.cost(true, MIB));
    assertThat(spindle.counts().seeks()).isEqualTo(2);
  }

  @Test
  void everyAccessSeeksWhereAskedTo() {
    Spindle spindle = new Spindle(time, SeekRule.always);
    long there = spindle.allocate(2 * MIB);

    long first = spindle.write(there, MIB);

    assertThat(spindle.write(there + MIB, MIB)).isEqualTo(2 * first);
  }

  @Test
  void filesThatGrowInTurnsLieInPieces() {
    Spindle spindle = new Spindle(time, SeekRule.jumps);
    FileLayout one = new FileLayout(spindle);
    FileLayout two = new FileLayout(spindle);
    one.write(0, MIB);
    one.write(MIB, MIB);
    two.write(0, MIB);
    one.write(2 * MIB, MIB);
    long seeks = spindle.counts().seeks();

    one.read(MIB / 2, 2 * MIB);

    // From the middle of its first piece, over the other file, into its second.
    assertThat(spindle.counts().seeks() - seeks).isEqualTo(2);
    assertThat(spindle.counts().readBytes()).isEqualTo(2 * MIB);
    assertThat(one.length()).isEqualTo(3 * MIB);
    assertThatThrownBy(() -> one.read(2 * MIB, 2 * MIB))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
