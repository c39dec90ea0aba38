package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.common.config.DataSize;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;

/** Against counting one block after the other. */
class LoadPropertyTest {
  @Property(tries = 300)
  void everyBlockHasOneMapAndOnePartition(
      @ForAll @LongRange(min = 1, max = 3_000_000) long bytes,
      @ForAll @IntRange(min = 1024, max = 70_000) int block,
      @ForAll @IntRange(min = 1, max = 300) int partitions,
      @ForAll @IntRange(min = 1, max = 40) int clients) {
    Load load = Load.of(DataSize.ofBytes(bytes), DataSize.ofBytes(block), partitions, clients);

    Set<Long> found = new HashSet<>();
    long[] ofPartition = new long[partitions];
    for (int map = 0; map < load.maps(); map++) {
      assertThat(load.firstBlock(map)).as("no map is empty").isLessThan(load.firstBlock(map + 1));
      for (int partition = 0; partition < partitions; partition++) {
        long one = load.block(map, partition);
        if (one >= 0) {
          assertThat(found.add(one)).as("block %d is another's", one).isTrue();
          assertThat(load.partition(one)).isEqualTo(partition);
          assertThat(one).isBetween(load.firstBlock(map), load.firstBlock(map + 1) - 1);
          assertThat(load.length(one)).isBetween(1, block);
          ofPartition[partition] += load.length(one);
        }
      }
    }
    assertThat(found).hasSize(Math.toIntExact(load.blocks()));
    long sum = 0;
    for (int partition = 0; partition < partitions; partition++) {
      assertThat(load.bytesOf(partition)).isEqualTo(ofPartition[partition]);
      sum += ofPartition[partition];
    }
    assertThat(sum).isEqualTo(bytes);
  }

  @Example
  void clientsHaveAMapEachIfThereAreBlocksForThem() {
    DataSize block = DataSize.parse("64k");
    assertThat(Load.of(DataSize.parse("1m"), block, 200, 4).maps()).isEqualTo(4);
    assertThat(Load.of(DataSize.parse("100b"), block, 200, 4).maps()).isEqualTo(1);
    assertThat(Load.of(DataSize.parse("1g"), block, 200, 4).maps()).isEqualTo(82);
  }

  @Example
  void whatIsOutOfBoundsIsNamed() {
    assertWrong("--size", "0", "64k", 1);
    assertWrong("--size", "20g", "1k", 1);
    assertWrong("--block-size", "1g", "512b", 1);
    assertWrong("--block-size", "1g", "3m", 1);
    assertWrong("--partitions", "1g", "64k", 0);
    assertWrong("--partitions", "1g", "64k", 100_001);
  }

  private static void assertWrong(String option, String size, String block, int partitions) {
    assertThatThrownBy(() -> Load.of(DataSize.parse(size), DataSize.parse(block), partitions, 1))
        .isInstanceOfSatisfying(
            CommandFailedException.class,
            failed -> assertThat(failed.exitCode()).isEqualTo(ExitCode.USAGE))
        .hasMessageStartingWith(option);
  }
}
