package io.sluice.server.segment;

import io.sluice.common.block.Crc32c;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.disk.Disk;
import java.nio.ByteBuffer;

/** A unit as it was written in version 1 of the format, put together by hand. */
final class OldUnit {
  private static final int HEADER = 84;

  private OldUnit() {}

  /**
   * One extent of one block of each map from 0 on, the first unit of its segment.
   *
   * @param maps below 128
   */
  static ByteBuffer of(ShuffleKey shuffle, long segment, int partition, int maps, int length) {
    ByteBuffer extent = TestBlocks.extent(partition, maps, length);
    ByteBuffer table = ByteBuffer.allocate(64);
    putVarint(table, partition);
    putVarint(table, extent.limit());
    table.put((byte) maps).put((byte) 0).put((byte) (maps - 1)).put((byte) 0).flip();
    int headerLength = HEADER + table.limit();
    int unitLength = Disk.ALIGNMENT + align(extent.limit());
    ByteBuffer unit =
        ByteBuffer.allocateDirect(unitLength + Disk.ALIGNMENT)
            .alignedSlice(Disk.ALIGNMENT)
            .limit(unitLength)
            .slice();
    unit.putInt(0x534C4355).putShort((short) 1).putShort((short) 0);
    unit.putInt(headerLength).putInt(unitLength).putInt(extent.limit()).putInt(1);
    unit.putLong(shuffle.application().high()).putLong(shuffle.application().low());
    unit.putInt(shuffle.shuffleId()).putInt(shuffle.generation());
    // Incarnation, sequence, segment, offset.
    unit.putLong(1).putLong(0).putLong(segment).putLong(0);
    unit.position(HEADER).put(table);
    Crc32c crc = new Crc32c();
    crc.reset();
    crc.update(unit, 0, 80);
    crc.update(unit, HEADER, headerLength - HEADER);
    unit.putInt(80, crc.value());
    return unit.position(Disk.ALIGNMENT).put(extent).rewind();
  }

  private static int align(int length) {
    return (length + Disk.ALIGNMENT - 1) / Disk.ALIGNMENT * Disk.ALIGNMENT;
  }

  private static void putVarint(ByteBuffer target, int value) {
    int rest = value;
    for (; rest > 127; rest >>= 7) {
      target.put((byte) ((rest & 127) | 128));
    }
    target.put((byte) rest);
  }
}
