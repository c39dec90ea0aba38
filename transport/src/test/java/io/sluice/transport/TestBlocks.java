package io.sluice.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import java.nio.ByteBuffer;
import java.util.Random;

/** Sealed blocks with pseudo-random payloads. */
public final class TestBlocks {
  private TestBlocks() {}

  public static byte[] block(int partition, int mapIndex, int sequence, int storedLength) {
    ByteBuffer buffer = ByteBuffer.allocate(BlockHeader.LENGTH + storedLength);
    byte[] payload = new byte[storedLength];
    new Random(31L * partition + 7L * mapIndex + sequence).nextBytes(payload);
    BlockHeader.write(
        buffer,
        0,
        0,
        partition,
        mapIndex,
        100L + mapIndex,
        sequence,
        storedLength,
        storedLength,
        1);
    buffer.position(BlockHeader.LENGTH);
    buffer.put(payload);
    BlockHeader.seal(buffer, 0, new Crc32c());
    return buffer.array();
  }

  /** Blocks back to back in a direct buffer that the caller releases. */
  public static ByteBuf concat(ByteBufAllocator alloc, byte[]... blocks) {
    int length = 0;
    for (byte[] block : blocks) {
      length += block.length;
    }
    ByteBuf buffer = alloc.directBuffer(length);
    for (byte[] block : blocks) {
      buffer.writeBytes(block);
    }
    return buffer;
  }
}
