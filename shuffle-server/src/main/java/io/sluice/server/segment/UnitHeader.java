package io.sluice.server.segment;

import io.sluice.common.block.Crc32c;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.disk.AlignedBuffers;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The header of a unit on disk, and its record in the catalog (docs/storage-format.md, "Unit").
 *
 * @param length of header and extent table, in bytes, without padding
 * @param payloadLength sum of the extents' lengths in bytes
 */
record UnitHeader(
    ShuffleKey shuffle, UnitPosition position, int length, int payloadLength, int extents) {
  static final int MAGIC = 0x534C4355;
  static final short VERSION = 1;

  /** Bytes before the extent table. */
  static final int FIXED_LENGTH = 84;

  private static final int CRC_OFFSET = 80;

  /** Payload and table of any unit are below this, so that sums of them stay ints. */
  private static final int LENGTH_MAX = 1 << 29;

  int payloadOffset() {
    return AlignedBuffers.align(length);
  }

  /** Bytes from the header's first to the padding's last. */
  int unitLength() {
    return payloadOffset() + AlignedBuffers.align(payloadLength);
  }

  /**
   * Writes the header and its table at {@code start}; position and limit stay.
   *
   * @param table from position to limit, {@code length - FIXED_LENGTH} bytes; left as it is
   */
  void encode(ByteBuffer target, int start, ByteBuffer table, Crc32c crc) {
    target.putInt(start, MAGIC);
    target.putShort(start + 4, VERSION);
    target.putShort(start + 6, (short) 0);
    target.putInt(start + 8, length);
    target.putInt(start + 12, unitLength());
    target.putInt(start + 16, payloadLength);
    target.putInt(start + 20, extents);
    target.putLong(start + 24, shuffle.application().high());
    target.putLong(start + 32, shuffle.application().low());
    target.putInt(start + 40, shuffle.shuffleId());
    target.putInt(start + 44, shuffle.generation());
    target.putLong(start + 48, position.incarnation());
    target.putLong(start + 56, position.sequence());
    target.putLong(start + 64, position.segment());
    target.putLong(start + 72, position.offset());
    target.put(start + FIXED_LENGTH, table, table.position(), table.remaining());
    target.putInt(start + CRC_OFFSET, crc(target, start, length, crc));
  }

  /**
   * The length the header at {@code start} claims, or -1 if no header of this version begins there.
   * Looks at {@link #FIXED_LENGTH} bytes; nothing else is checked.
   */
  static int claimedLength(ByteBuffer source, int start) {
    if (source.getInt(start) != MAGIC || source.getShort(start + 4) != VERSION) {
      return -1;
    }
    int length = source.getInt(start + 8);
    return length < FIXED_LENGTH || length > LENGTH_MAX ? -1 : length;
  }

  /**
   * Reads the header at {@code start}; position and limit stay.
   *
   * @throws SluiceException CORRUPT_UNIT unless it is whole: magic, version, lengths and CRC
   */
  static UnitHeader decode(ByteBuffer source, int start, Crc32c crc) {
    int available = source.limit() - start;
    int length = available < FIXED_LENGTH ? -1 : claimedLength(source, start);
    if (length < 0 || length > available) {
      throw new SluiceException(ErrorCode.CORRUPT_UNIT, "no unit header of a known version");
    }
    if (crc(source, start, length, crc) != source.getInt(start + CRC_OFFSET)) {
      throw new SluiceException(ErrorCode.CORRUPT_UNIT, "CRC of a unit header does not match");
    }
    UnitHeader header =
        new UnitHeader(
            new ShuffleKey(
                ApplicationId.of(source.getLong(start + 24), source.getLong(start + 32)),
                source.getInt(start + 40),
                source.getInt(start + 44)),
            new UnitPosition(
                source.getLong(start + 64),
                source.getLong(start + 72),
                source.getLong(start + 48),
                source.getLong(start + 56)),
            length,
            source.getInt(start + 16),
            source.getInt(start + 20));
    if (header.payloadLength < 0
        || header.payloadLength > LENGTH_MAX
        || header.extents < 1
        || source.getShort(start + 6) != 0
        || source.getInt(start + 12) != header.unitLength()) {
      throw new SluiceException(ErrorCode.CORRUPT_UNIT, "unit header contradicts itself");
    }
    return header;
  }

  private static int crc(ByteBuffer buffer, int start, int length, Crc32c crc) {
    crc.reset();
    crc.update(buffer, start, CRC_OFFSET);
    crc.update(buffer, start + FIXED_LENGTH, length - FIXED_LENGTH);
    return crc.value();
  }

  /**
   * The extents that the table behind this header at {@code start} describes.
   *
   * @throws SluiceException CORRUPT_UNIT if the table does not fit the header
   */
  List<Extent> unpackExtents(ByteBuffer source, int start) {
    ByteBuffer table = source.duplicate();
    table.limit(start + length).position(start + FIXED_LENGTH);
    return ExtentTable.unpack(
        table, extents, position.segment(), position.offset() + payloadOffset(), payloadLength);
  }
}
