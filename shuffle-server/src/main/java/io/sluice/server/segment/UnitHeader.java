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
 * @param version it was written in
 * @param length of header and tables, in bytes, without padding
 * @param payloadLength sum of the extents' lengths in bytes
 * @param extentTableLength in bytes; what is behind it is the attempt table
 */
record UnitHeader(
    int version,
    ShuffleKey shuffle,
    UnitPosition position,
    int length,
    int payloadLength,
    int extents,
    int extentTableLength) {
  static final int MAGIC = 0x534C4355;

  /** What is written. */
  static final int VERSION = 2;

  /** Had no attempt table. Still read. */
  static final int VERSION_1 = 1;

  /** Bytes before the extent table. */
  static final int FIXED_LENGTH = 88;

  private static final int FIXED_LENGTH_1 = 84;

  private static final int CRC_OFFSET = 80;
  private static final int BEHIND_CRC = 84;
  private static final int EXTENT_TABLE_LENGTH_OFFSET = 84;

  /** The payload of any unit is below this, so that sums stay ints. */
  private static final int LENGTH_MAX = 1 << 29;

  /**
   * Twice the room that the largest staging buffer has for a header, which is 4 MiB and a page:
   * what claims more is no header, and no memory is taken to look at it.
   */
  static final int HEADER_MAX = 8 << 20;

  /** Of a unit about to be written. */
  static UnitHeader of(
      ShuffleKey shuffle,
      UnitPosition position,
      int payloadLength,
      int extents,
      int extentTableLength,
      int attemptTableLength) {
    int length = FIXED_LENGTH + extentTableLength + attemptTableLength;
    return new UnitHeader(
        VERSION, shuffle, position, length, payloadLength, extents, extentTableLength);
  }

  int payloadOffset() {
    return AlignedBuffers.align(length);
  }

  /** Bytes from the header's first to the padding's last. */
  int unitLength() {
    return payloadOffset() + AlignedBuffers.align(payloadLength);
  }

  /**
   * Writes the header and its tables at {@code start}; position and limit stay.
   *
   * @param tables from position to limit, {@code length - FIXED_LENGTH} bytes; left as they are
   */
  void encode(ByteBuffer target, int start, ByteBuffer tables, Crc32c crc) {
    target.putInt(start, MAGIC);
    target.putShort(start + 4, (short) VERSION);
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
    target.putInt(start + EXTENT_TABLE_LENGTH_OFFSET, extentTableLength);
    target.put(start + FIXED_LENGTH, tables, tables.position(), tables.remaining());
    target.putInt(start + CRC_OFFSET, crc(target, start, length, crc));
  }

  /**
   * The length the header at {@code start} claims, or -1 if no header of a known version begins
   * there. Looks at 12 bytes; nothing else is checked.
   */
  static int claimedLength(ByteBuffer source, int start) {
    int version = source.getShort(start + 4);
    if (source.getInt(start) != MAGIC || version < VERSION_1 || version > VERSION) {
      return -1;
    }
    int length = source.getInt(start + 8);
    return length < fixedLength(version) || length > HEADER_MAX ? -1 : length;
  }

  private static int fixedLength(int version) {
    return version == VERSION_1 ? FIXED_LENGTH_1 : FIXED_LENGTH;
  }

  /**
   * Reads the header at {@code start}; position and limit stay.
   *
   * @throws SluiceException CORRUPT_UNIT unless it is whole: magic, version, lengths and CRC
   */
  static UnitHeader decode(ByteBuffer source, int start, Crc32c crc) {
    int available = source.limit() - start;
    int length = available < FIXED_LENGTH_1 ? -1 : claimedLength(source, start);
    if (length < 0 || length > available) {
      throw new SluiceException(ErrorCode.CORRUPT_UNIT, "no unit header of a known version");
    }
    if (crc(source, start, length, crc) != source.getInt(start + CRC_OFFSET)) {
      throw new SluiceException(ErrorCode.CORRUPT_UNIT, "CRC of a unit header does not match");
    }
    int version = source.getShort(start + 4);
    UnitHeader header =
        new UnitHeader(
            version,
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
            source.getInt(start + 20),
            version == VERSION_1
                ? length - FIXED_LENGTH_1
                : source.getInt(start + EXTENT_TABLE_LENGTH_OFFSET));
    if (header.payloadLength < 0
        || header.payloadLength > LENGTH_MAX
        || header.extents < 1
        || header.extentTableLength < 0
        || header.extentTableLength > length - fixedLength(version)
        || source.getShort(start + 6) != 0
        || source.getInt(start + 12) != header.unitLength()) {
      throw new SluiceException(ErrorCode.CORRUPT_UNIT, "unit header contradicts itself");
    }
    return header;
  }

  private static int crc(ByteBuffer buffer, int start, int length, Crc32c crc) {
    crc.reset();
    crc.update(buffer, start, CRC_OFFSET);
    crc.update(buffer, start + BEHIND_CRC, length - BEHIND_CRC);
    return crc.value();
  }

  /**
   * The extents that the table behind this header at {@code start} describes.
   *
   * @throws SluiceException CORRUPT_UNIT if the table does not fit the header
   */
  List<Extent> unpackExtents(ByteBuffer source, int start) {
    int from = start + fixedLength(version);
    ByteBuffer table = source.duplicate().limit(from + extentTableLength).position(from);
    return ExtentTable.unpack(
        table, extents, position.segment(), position.offset() + payloadOffset(), payloadLength);
  }

  /** The attempt table behind this header at {@code start}; empty in a unit that has none. */
  ByteBuffer attemptTable(ByteBuffer source, int start) {
    int from = start + fixedLength(version) + extentTableLength;
    return source.duplicate().limit(start + length).position(from);
  }
}
