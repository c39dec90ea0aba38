package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks that are taken without waiting for any. */
class ReaderPollTest extends FetchFixture {
  @Test
  void givesWhatHasLandedAndLeavesTheEndToNext() throws InterruptedException {
    try (SluiceClient roomy = cluster.client(ClientConfig.defaults());
        BlockReader reader =
            roomy.read(placement, 0, PARTITIONS, 0, MAPS, expected(0, PARTITIONS))) {
      assertThat(reader.hasLanded()).isFalse();
      assertThat(reader.poll()).isNull();

      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      int polled = 0;
      while (reader.hasLanded() && reader.poll() != null) {
        polled++;
      }
      assertThat(polled).isEqualTo(MAPS * PARTITIONS);
      assertThat(reader.poll()).isNull();
      assertThat(reader.waitNanos()).isZero();
      assertThat(reader.next()).isNull();
      assertThat(reader.hasLanded()).isFalse();
      assertThat(reader.poll()).isNull();
    }
  }

  /** With so little credit that servers stop whenever nobody takes anything. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5})
  void mixesWithBlocksThatAreWaitedFor(int seed) throws InterruptedException {
    int blocks = 400;
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int i = 0; i < blocks; i++) {
        SHUFFLE.push(output, 0, i == blocks - 1 ? BlockHeader.LAST : 0);
      }
      output.finish();
    }
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(MAPS, 100 + MAPS), 0);
    Random random = new Random(seed);
    boolean[] seen = new boolean[blocks];
    int count = 0;
    try (BlockReader reader = client.read(placement, 0, 1, 0, 10, expected.build())) {
      while (count < blocks) {
        BlockReader.Block block = random.nextInt(3) > 0 ? reader.poll() : reader.next();
        if (block != null) {
          assertThat(seen[block.sequence()]).as("twice").isFalse();
          seen[block.sequence()] = true;
          count++;
        }
      }
      assertThat(reader.next()).isNull();
    }
  }

  @Test
  void theRestOfARecordIsHereWithItsBeginning() throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, MAPS, 100 + MAPS)) {
      for (int i = 0; i < 3; i++) {
        output.beginBlock(0, 100_000).put(new byte[100_000]);
        output.endBlock(100_000, 100_000, 1, i == 2 ? BlockHeader.LAST : BlockHeader.CONTINUES);
      }
      output.finish();
    }
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(MAPS, 100 + MAPS), 0);
    try (BlockReader reader = client.read(placement, 0, 1, 0, 10, expected.build())) {
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      for (int i = 0; i < 3; i++) {
        BlockReader.Block block = reader.poll();
        assertThat(block).isNotNull();
        assertThat(block.sequence()).isEqualTo(i);
        assertThat(block.continues()).isEqualTo(i < 2);
      }
      assertThat(reader.next()).isNull();
    }
  }

  @Test
  void whatIsMissingIsForNextToSay() throws InterruptedException {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(0, 100), 0);
    expected.nonEmpty(expected.add(MAPS + 1, 100 + MAPS + 1), 0);
    try (BlockReader reader = client.read(placement, 0, 1, 0, 10, expected.build())) {
      cluster.loop.runFor(Duration.ofSeconds(1).toNanos());
      assertThat(reader.poll()).isNotNull();
      assertThat(reader.poll()).isNull();
      SluiceException missing = null;
      try {
        reader.next();
      } catch (MissingBlocksException e) {
        missing = e;
      }
      assertThat(missing).isNotNull();
      assertThat(missing.code()).isEqualTo(ErrorCode.DATA_LOST);
    }
  }
}
