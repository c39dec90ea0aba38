package io.sluice.server.segment;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Real blocks with reproducible payloads. */
public final class TestBlocks {
  private TestBlocks() {}

  public static ShuffleKey shuffle(int id) {
    return new ShuffleKey(ApplicationId.of(0x1234_5678_9ABCL, id), id, 0);
  }

  /** Appends a sealed block, the only one of its map, at the buffer's position. */
  public static void append(ByteBuffer target, int partition, int mapIndex, int storedLength) {
    append(target, partition, new Of(mapIndex, 1000L + mapIndex, 0, true), storedLength);
  }

  /** Which block of a partition it is. */
  public record Of(int map, long attempt, int sequence, boolean last) {}

  /** The same of any block. */
  public static void append(ByteBuffer target, int partition, Of block, int storedLength) {
    int start = target.position();
    int mapIndex = block.map();
    BlockHeader.write(
        target,
        start,
        block.last() ? BlockHeader.LAST : 0,
        partition,
        mapIndex,
        block.attempt(),
        block.sequence(),
        storedLength,
        storedLength,
        1);
    SplittableRandom random = new SplittableRandom(partition * 31L + mapIndex);
    for (int i = 0; i < storedLength; i++) {
      target.put(start + BlockHeader.LENGTH + i, (byte) random.nextInt());
    }
    BlockHeader.seal(target, start, new Crc32c());
    target.position(start + BlockHeader.LENGTH + storedLength);
  }

  /** The bytes of an extent with one block of each map. */
  public static ByteBuffer extent(int partition, int maps, int storedLength) {
    ByteBuffer bytes = ByteBuffer.allocate(maps * (BlockHeader.LENGTH + storedLength));
    for (int map = 0; map < maps; map++) {
      append(bytes, partition, map, storedLength);
    }
    return bytes.flip();
  }

  /** Stages an extent with these blocks. */
  public static void stage(UnitBuilder unit, int partition, int storedLength, Of... blocks) {
    ByteBuffer target = unit.beginExtent(partition);
    for (Of block : blocks) {
      append(target, partition, block, storedLength);
      unit.endBlock();
    }
    unit.endExtent();
  }

  /** Attempts that are whole, from a map on: map, attempt and partitions of each. */
  public static List<String> whole(MapTally tally, int firstMap) {
    List<String> whole = new ArrayList<>();
    tally.forEachWhole(
        firstMap, (map, attempt, lasts) -> whole.add(map + "/" + attempt + ":" + lasts));
    return whole;
  }

  /** Stages an extent with one block of each map. */
  public static void stage(UnitBuilder unit, int partition, int maps, int storedLength) {
    ByteBuffer target = unit.beginExtent(partition);
    for (int map = 0; map < maps; map++) {
      append(target, partition, map, storedLength);
      unit.endBlock();
    }
    unit.endExtent();
  }
}
