package io.sluice.server.segment;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Real blocks with reproducible payloads. */
public final class TestBlocks {
  private TestBlocks() {}

  public static ShuffleKey shuffle(int id) {
    return new ShuffleKey(ApplicationId.of(0x1234_5678_9ABCL, id), id, 0);
  }

  /** Appends a sealed block of one map at the buffer's position. */
  public static void append(ByteBuffer target, int partition, int mapIndex, int storedLength) {
    int start = target.position();
    BlockHeader.write(
        target,
        start,
        BlockHeader.LAST,
        partition,
        mapIndex,
        1000L + mapIndex,
        0,
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

  /** Stages an extent with one block of each map. */
  public static void stage(UnitBuilder unit, int partition, int maps, int storedLength) {
    ByteBuffer target = unit.beginExtent(partition);
    for (int map = 0; map < maps; map++) {
      unit.block(map);
      append(target, partition, map, storedLength);
    }
    unit.endExtent();
  }
}
