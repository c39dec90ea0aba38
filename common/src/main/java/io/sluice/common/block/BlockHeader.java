package io.sluice.common.block;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;

/**
 * The fixed header before every block, on the wire, in memory and on disk alike (DESIGN §4).
 * Big-endian, {@value #LENGTH} bytes:
 *
 * <pre>
 *  0 u16 magic 0x51CE      2 u8 version 1     3 u8 flags
 *  4 i32 partition         8 i32 mapIndex    12 i32 sequence
 * 16 i64 attemptId        24 i32 rawLength   28 i32 storedLength
 * 32 i32 recordCount      36 i32 crc32c over bytes [0, 36) and the stored bytes
 * </pre>
 *
 * <p>Flags: bit 0 {@link #LAST}; bit 1 {@link #CONTINUES}: the last record of this block goes on in
 * the block with the next sequence number; bit 2 {@link #CONTINUED}: this block begins with the
 * rest of such a record; bits 4–7 the codec ({@link #codec}). Static methods read and write at an
 * absolute offset, never moving the buffer's position; every buffer must be big-endian (the
 * default).
 */
public final class BlockHeader {
  public static final int LENGTH = 40;
  public static final short MAGIC = 0x51CE;
  public static final byte VERSION = 1;

  /** The map attempt has no further block for this partition. */
  public static final int LAST = 1;

  /** The block's last record continues in the next block of the same attempt and partition. */
  public static final int CONTINUES = 2;

  /**
   * The block begins inside a record. Set by the writer's client, so that a reader that meets this
   * block before its predecessor knows that it must wait for that one.
   */
  public static final int CONTINUED = 4;

  private static final int CODEC_SHIFT = 4;
  private static final int KNOWN_FLAGS = LAST | CONTINUES | CONTINUED | 0xF0;
  private static final int CRC_OFFSET = 36;

  private BlockHeader() {}

  /** Writes all fields but the CRC, which {@link #seal} adds when the stored bytes are in place. */
  public static void write(
      ByteBuffer buffer,
      int offset,
      int flags,
      int partition,
      int mapIndex,
      long attemptId,
      int sequence,
      int rawLength,
      int storedLength,
      int recordCount) {
    buffer.putShort(offset, MAGIC);
    buffer.put(offset + 2, VERSION);
    buffer.put(offset + 3, (byte) flags);
    buffer.putInt(offset + 4, partition);
    buffer.putInt(offset + 8, mapIndex);
    buffer.putInt(offset + 12, sequence);
    buffer.putLong(offset + 16, attemptId);
    buffer.putInt(offset + 24, rawLength);
    buffer.putInt(offset + 28, storedLength);
    buffer.putInt(offset + 32, recordCount);
  }

  /** Computes and writes the CRC of a block whose header and stored bytes lie in one buffer. */
  public static void seal(ByteBuffer buffer, int offset, Crc32c crc) {
    buffer.putInt(offset + CRC_OFFSET, computeCrc(buffer, offset, crc));
  }

  /** Whether header and stored bytes, lying in one buffer, match the header's CRC. */
  public static boolean crcMatches(ByteBuffer buffer, int offset, Crc32c crc) {
    return computeCrc(buffer, offset, crc) == crc(buffer, offset);
  }

  private static int computeCrc(ByteBuffer buffer, int offset, Crc32c crc) {
    crc.reset();
    crc.update(buffer, offset, CRC_OFFSET);
    crc.update(buffer, offset + LENGTH, storedLength(buffer, offset));
    return crc.value();
  }

  /** Starts a CRC over the header's own bytes, for payloads that arrive in pieces. */
  public static void beginCrc(ByteBuffer buffer, int offset, Crc32c crc) {
    crc.reset();
    crc.update(buffer, offset, CRC_OFFSET);
  }

  /**
   * Checks that the header can be believed as far as lengths go.
   *
   * @param maxStoredLength the largest payload allowed, in bytes
   * @throws SluiceException CORRUPT_BLOCK on wrong magic, version, flags or negative numbers;
   *     BLOCK_TOO_LARGE on a payload over the limit
   */
  public static void validate(ByteBuffer buffer, int offset, int maxStoredLength) {
    if (buffer.getShort(offset) != MAGIC) {
      throw corrupt(buffer, offset, "magic");
    }
    if (buffer.get(offset + 2) != VERSION) {
      throw corrupt(buffer, offset, "version");
    }
    if ((flags(buffer, offset) & ~KNOWN_FLAGS) != 0) {
      throw corrupt(buffer, offset, "flags");
    }
    // One test for all signs: the OR is negative if any field is.
    if ((partition(buffer, offset)
            | mapIndex(buffer, offset)
            | sequence(buffer, offset)
            | rawLength(buffer, offset)
            | storedLength(buffer, offset)
            | recordCount(buffer, offset))
        < 0) {
      throw corrupt(buffer, offset, "negative field");
    }
    if (storedLength(buffer, offset) > maxStoredLength) {
      throw new SluiceException(
          ErrorCode.BLOCK_TOO_LARGE,
          describe(buffer, offset) + ": at most " + maxStoredLength + " stored bytes are allowed");
    }
  }

  private static SluiceException corrupt(ByteBuffer buffer, int offset, String what) {
    return new SluiceException(
        ErrorCode.CORRUPT_BLOCK, "bad block header (" + what + "): " + describe(buffer, offset));
  }

  public static int flags(ByteBuffer buffer, int offset) {
    return buffer.get(offset + 3) & 0xFF;
  }

  public static boolean isLast(ByteBuffer buffer, int offset) {
    return (flags(buffer, offset) & LAST) != 0;
  }

  /** The codec of the stored bytes: see the client's {@code BlockCodec}; servers never look. */
  public static int codec(ByteBuffer buffer, int offset) {
    return flags(buffer, offset) >>> CODEC_SHIFT;
  }

  /** Flags for a codec number in 0..15, to be combined with {@link #LAST} and others. */
  public static int codecFlags(int codec) {
    return codec << CODEC_SHIFT;
  }

  public static int partition(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 4);
  }

  public static int mapIndex(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 8);
  }

  public static int sequence(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 12);
  }

  public static long attemptId(ByteBuffer buffer, int offset) {
    return buffer.getLong(offset + 16);
  }

  /** Bytes after decompression. */
  public static int rawLength(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 24);
  }

  /** Bytes that follow the header. */
  public static int storedLength(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 28);
  }

  public static int recordCount(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 32);
  }

  public static int crc(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + CRC_OFFSET);
  }

  /** For error messages: partition, map, attempt, block and lengths as the header states them. */
  public static String describe(ByteBuffer buffer, int offset) {
    return "partition "
        + partition(buffer, offset)
        + ", map "
        + mapIndex(buffer, offset)
        + ", attempt "
        + attemptId(buffer, offset)
        + ", block "
        + sequence(buffer, offset)
        + ", stored length "
        + storedLength(buffer, offset);
  }
}
