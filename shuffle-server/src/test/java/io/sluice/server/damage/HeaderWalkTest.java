package io.sluice.server.damage;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.server.segment.Extent;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HeaderWalkTest {
  private static final int[] STORED = {0, 1, 500, 0, 90, 39, 1000};
  private static final int PARTITION = 3;
  private static final int MAP = 8;
  private static final int STORED_LENGTH = 28;
  private static final int FIRST_MAP = 100;

  private final ByteBuffer bytes = blocks();

  private static ByteBuffer blocks() {
    ByteBuffer bytes = ByteBuffer.allocate(10_000);
    Crc32c crc = new Crc32c();
    int at = 0;
    for (int map = 0; map < STORED.length; map++) {
      BlockHeader.write(
          bytes, at, 0, PARTITION, FIRST_MAP + map, 7, 0, STORED[map], STORED[map], 1);
      BlockHeader.seal(bytes, at, crc);
      at += BlockHeader.LENGTH + STORED[map];
    }
    return bytes.limit(at);
  }

  private static int start(int block) {
    int at = 0;
    for (int i = 0; i < block; i++) {
      at += BlockHeader.LENGTH + STORED[i];
    }
    return at;
  }

  private HeaderWalk walk(int blocks, int atOnce, int... sparse) {
    HeaderWalk walk =
        new HeaderWalk(
            new Extent(
                PARTITION,
                1,
                0,
                bytes.limit(),
                blocks,
                FIRST_MAP,
                FIRST_MAP + STORED.length - 1,
                IntStream.of(sparse).map(block -> FIRST_MAP + block).toArray(),
                IntStream.of(sparse).map(HeaderWalkTest::start).toArray()));
    for (int wanted = walk.wants(atOnce); wanted > 0; wanted = walk.wants(atOnce)) {
      walk.look(bytes.slice(walk.next(), wanted));
    }
    return walk;
  }

  private void assertDamaged(String what) {
    assertThat(walk(STORED.length, BlockHeader.LENGTH).damage()).contains(what);
    assertThat(walk(STORED.length, 64 << 10).damage()).contains(what);
  }

  @ParameterizedTest
  @ValueSource(ints = {BlockHeader.LENGTH, 41, 79, 80, 100, 64 << 10})
  void comesToTheEndOfWhatIsIntact(int atOnce) {
    assertThat(walk(STORED.length, atOnce).damage()).isNull();
  }

  @Test
  void findsEveryHeaderThatIsGone() {
    for (int block = 0; block < STORED.length; block++) {
      ByteBuffer intact = ByteBuffer.allocate(BlockHeader.LENGTH);
      intact.put(0, bytes, start(block), BlockHeader.LENGTH);
      bytes.put(start(block), new byte[BlockHeader.LENGTH]);
      assertDamaged("bad block header (magic)");
      bytes.put(start(block), intact, 0, BlockHeader.LENGTH);
    }
    assertThat(walk(STORED.length, 100).damage()).isNull();
  }

  @Test
  void findsALengthThatLeadsBeyondTheEnd() {
    bytes.putInt(start(6) + STORED_LENGTH, STORED[6] + 1);
    assertDamaged("stored bytes are allowed");
  }

  @Test
  void findsALengthThatLeadsToNoHeader() {
    bytes.putInt(start(2) + STORED_LENGTH, STORED[2] + 1);
    assertDamaged("bad block header");
  }

  /** Readers come to the end, and are told of more blocks than they saw. */
  @Test
  void findsALengthThatSwallowsWholeBlocks() {
    bytes.putInt(start(2) + STORED_LENGTH, STORED[2] + BlockHeader.LENGTH + STORED[3]);
    assertDamaged("6 headers for 7 blocks");
  }

  @Test
  void findsALengthThatLeavesLessThanAHeader() {
    bytes.putInt(start(6) + STORED_LENGTH, STORED[6] - 1);
    assertDamaged("ends within a header");
  }

  @Test
  void findsABlockOfAnotherPartition() {
    bytes.putInt(start(4) + 4, PARTITION + 1);
    assertDamaged("another partition");
  }

  @Test
  void passesOverPayloads() {
    bytes.put(start(2) + BlockHeader.LENGTH, new byte[STORED[2]]);
    bytes.put(start(4) + BlockHeader.LENGTH, (byte) 99);
    assertThat(walk(STORED.length, 100).damage()).isNull();
  }

  /** Block 1 leads into the payload of block 4: readers of maps from 2 on begin within it. */
  @Test
  void cutsOffBeforeABlockThatSwallowsOneOfTheSparseIndex() {
    bytes.putInt(start(1) + STORED_LENGTH, start(4) + 60 - start(2) + STORED[1]);

    HeaderWalk walk = walk(STORED.length, 64 << 10, 0, 2, 4, 6);

    assertThat(walk.damage()).contains("bad block header");
    Extent reached = requireNonNull(walk.reached());
    assertThat(reached.length()).isEqualTo(start(1));
    assertThat(reached.blocks()).isEqualTo(1);
    assertThat(reached.sparseOffsets()).containsExactly(0);
  }

  /** Readers come upon a header again, and at last to the end: what they have must stay. */
  @Test
  void leadsNobodyIntoABlockThatSwallowsWholeBlocks() {
    bytes.putInt(start(2) + STORED_LENGTH, start(5) - start(3) + STORED[2]);

    HeaderWalk walk = walk(STORED.length, 64 << 10, 0, 3, 5);

    assertThat(walk.damage()).contains("5 headers for 7 blocks");
    Extent reached = requireNonNull(walk.reached());
    assertThat(reached.length()).isEqualTo(bytes.limit());
    assertThat(reached.blocks()).isEqualTo(5);
    assertThat(reached.sparseOffsets()).containsExactly(0, start(5));
    assertThat(reached.sparseMaps()).containsExactly(FIRST_MAP, FIRST_MAP + 5);
  }

  @Test
  void comesToTheEndWithASparseIndex() {
    assertThat(walk(STORED.length, 64 << 10, 0, 1, 2, 3, 4, 5, 6).damage()).isNull();
    assertThat(walk(STORED.length, BlockHeader.LENGTH, 0, 6).damage()).isNull();
  }

  /** As where zeros begin behind the partition of a header: map 0, and no payload. */
  @Test
  void endsBeforeAHeaderOfAWrongMapIfNothingComesBehind() {
    bytes.put(start(2) + MAP, new byte[BlockHeader.LENGTH - MAP]);

    HeaderWalk walk = walk(STORED.length, 64 << 10);

    assertThat(walk.damage()).contains("bad block header");
    Extent reached = requireNonNull(walk.reached());
    assertThat(reached.length()).isEqualTo(start(2));
    assertThat(reached.blocks()).isEqualTo(2);
    assertThat(reached.lastMap()).as("no reader passes by").isGreaterThanOrEqualTo(FIRST_MAP + 1);
  }

  /** Readers step over it, by its CRC, and have what comes behind. */
  @Test
  void stepsOverAHeaderOfAWrongMap() {
    for (int map : new int[] {FIRST_MAP - 1, FIRST_MAP + 6, FIRST_MAP + 7}) {
      bytes.putInt(start(3) + MAP, map);
      assertThat(walk(STORED.length, 64 << 10).damage()).isNull();
    }
    bytes.put(start(6), new byte[BlockHeader.LENGTH]);
    Extent reached = requireNonNull(walk(STORED.length, 64 << 10).reached());
    assertThat(reached.length()).isEqualTo(start(6));
    assertThat(reached.blocks()).isEqualTo(6);
  }
}
