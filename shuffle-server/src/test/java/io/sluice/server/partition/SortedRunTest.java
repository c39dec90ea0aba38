package io.sluice.server.partition;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryReservation;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShares;
import io.sluice.server.segment.UnitBuilder;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The extent of a run is its blocks by map, however they lie in memory. */
class SortedRunTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  private static final int EXTENT_START = 100;

  private final ChunkArena arena = new ChunkArena(new MemoryBudget(4 << 20));
  private final PartitionBuffer partition =
      new Shuffle(
              new ShuffleKey(APPLICATION, 0, 0),
              1 << 20,
              new TableShares(new TableBudget(1 << 20)).acquire(APPLICATION),
              new Quotas(QuotaLimits.NONE).acquire(APPLICATION))
          .partition(7);

  /** What a unit was told, and the bytes it was given. */
  private static final class Unit implements UnitBuilder {
    private final ByteBuffer bytes = ByteBuffer.allocate(1 << 20).position(EXTENT_START);
    private final List<Integer> maps = new ArrayList<>();
    private final List<Integer> offsets = new ArrayList<>();
    private int blockStart = EXTENT_START;

    @Override
    public int remaining() {
      return bytes.remaining();
    }

    @Override
    public ByteBuffer beginExtent(int partition) {
      return bytes;
    }

    @Override
    public void endBlock() {
      maps.add(BlockHeader.mapIndex(bytes, blockStart));
      offsets.add(blockStart);
      blockStart = bytes.position();
    }

    @Override
    public void endExtent() {}

    @Override
    public void discard() {}
  }

  private static byte[] block(int map, int sequence, int payload) {
    ByteBuffer block = ByteBuffer.allocate(BlockHeader.LENGTH + payload);
    new Random(31L * map + sequence).nextBytes(block.array());
    BlockHeader.write(block, 0, 0, 7, map, 1, sequence, payload, payload, 1);
    return block.array();
  }

  private Chunk chunk(int bytes) {
    try (MemoryReservation paid = requireNonNull(arena.budget().tryReserve(bytes))) {
      return arena.allocate(paid, bytes);
    }
  }

  private void pushWhole(int map, byte[] block) {
    ByteBuffer bytes = ByteBuffer.wrap(block);
    assertThat(
            partition.append(
                bytes,
                0,
                block.length,
                map,
                (held, needed) -> chunk(ChunkArena.MIN_CHUNK_BYTES),
                null))
        .isTrue();
  }

  private void pushInParts(int map, byte[] block) {
    Chunk own = chunk(ChunkArena.MIN_CHUNK_BYTES);
    own.put(0, ByteBuffer.wrap(block), 0, block.length);
    assertThat(partition.link(new Chunk[] {own}, 1, block.length, map, null)).isTrue();
  }

  private Unit flush() {
    MemoryRun run = requireNonNull(partition.claim(1 << 20));
    Unit unit = new Unit();
    SortedRun.of(run).copyTo(unit, unit.beginExtent(7));
    return unit;
  }

  private static void assertHolds(Unit unit, List<Integer> maps, List<byte[]> blocks) {
    assertThat(unit.maps).isEqualTo(maps);
    int at = EXTENT_START;
    for (int i = 0; i < blocks.size(); i++) {
      byte[] block = blocks.get(i);
      byte[] found = new byte[block.length];
      unit.bytes.get(at, found);
      assertThat(unit.offsets.get(i)).isEqualTo(at);
      assertThat(found).isEqualTo(block);
      at += block.length;
    }
    assertThat(unit.bytes.position()).isEqualTo(at);
  }

  @Test
  void hasNeighboursInOrderWhereverTheirChunksEnd() {
    List<Integer> maps = new ArrayList<>();
    List<byte[]> blocks = new ArrayList<>();
    for (int map = 0; map < 40; map++) {
      maps.add(map);
      blocks.add(block(map, 0, 1_000 + 37 * map));
      pushWhole(map, blocks.get(map));
    }

    assertHolds(flush(), maps, blocks);
  }

  @Test
  void bringsBlocksIntoTheOrderOfMapsAndSequences() {
    byte[] ninth = block(9, 0, 5_000);
    byte[] second = block(2, 0, 300);
    byte[] third = block(3, 0, 300);
    byte[] fifthLater = block(5, 1, 200);
    byte[] fifth = block(5, 0, 200);
    pushWhole(9, ninth);
    pushWhole(2, second);
    pushWhole(3, third);
    pushWhole(5, fifthLater);
    pushWhole(5, fifth);

    assertHolds(flush(), List.of(2, 3, 5, 5, 9), List.of(second, third, fifth, fifthLater, ninth));
  }

  @Test
  void takesWhatCameInPartsFromWhereItLies() {
    List<Integer> maps = List.of(1, 2, 3, 4, 5);
    List<byte[]> blocks = maps.stream().map(map -> block(map, 0, 700 * map)).toList();
    pushWhole(1, blocks.get(0));
    pushInParts(2, blocks.get(1));
    pushWhole(3, blocks.get(2));
    pushWhole(4, blocks.get(3));
    pushInParts(5, blocks.get(4));

    assertHolds(flush(), maps, blocks);
  }

  @Test
  void takesNoChunksNumberForAPosition() {
    byte[] whole = block(0, 0, 0);
    byte[] inParts = block(1, 0, 300);
    pushWhole(0, whole);
    for (int map = 2; map < 2 + whole.length; map++) {
      pushInParts(map, block(map, 0, 10));
    }
    // Its chunk has the number of the place behind the first block.
    pushInParts(1, inParts);

    Unit unit = flush();

    byte[] found = new byte[inParts.length];
    unit.bytes.get(EXTENT_START + whole.length, found);
    assertThat(found).isEqualTo(inParts);
  }
}
