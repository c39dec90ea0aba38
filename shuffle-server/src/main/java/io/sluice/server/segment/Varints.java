package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;

/** Unsigned LEB128 of non-negative ints, and of longs, at the buffer's position. */
final class Varints {
  /** The most bytes one takes: 31 bits in groups of 7. */
  static final int LENGTH_MAX = 5;

  /** The most bytes a long takes. */
  static final int LONG_LENGTH_MAX = 10;

  private Varints() {}

  static void put(ByteBuffer target, int value) {
    int rest = value;
    while ((rest & ~0x7F) != 0) {
      target.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    target.put((byte) rest);
  }

  /** Of all 64 bits, none of them a sign. */
  static void putLong(ByteBuffer target, long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      target.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    target.put((byte) rest);
  }

  /**
   * @throws SluiceException CORRUPT_UNIT if the bytes end early or the value exceeds 64 bits
   */
  static long getLong(ByteBuffer source) {
    long value = 0;
    for (int shift = 0; shift < LONG_LENGTH_MAX * 7; shift += 7) {
      if (!source.hasRemaining()) {
        throw new SluiceException(ErrorCode.CORRUPT_UNIT, "table ends inside a number");
      }
      byte next = source.get();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        if (shift == 63 && next > 1) {
          break;
        }
        return value;
      }
    }
    throw new SluiceException(ErrorCode.CORRUPT_UNIT, "number in a table is too large");
  }

  /**
   * @throws SluiceException CORRUPT_UNIT if the bytes end early or the value exceeds 31 bits
   */
  static int get(ByteBuffer source) {
    long value = 0;
    for (int shift = 0; shift < LENGTH_MAX * 7; shift += 7) {
      if (!source.hasRemaining()) {
        throw new SluiceException(ErrorCode.CORRUPT_UNIT, "table ends inside a number");
      }
      byte next = source.get();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        if (value > Integer.MAX_VALUE) {
          break;
        }
        return (int) value;
      }
    }
    throw new SluiceException(ErrorCode.CORRUPT_UNIT, "number in a table is too large");
  }
}
