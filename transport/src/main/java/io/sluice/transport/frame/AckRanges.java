package io.sluice.transport.frame;

import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;

/** The body of ACK and NACK: ranges of i64 first block, i32 count, i64 refund. */
public final class AckRanges {
  /** One range: 8 + 4 + 8. */
  public static final int BYTES = 20;

  public static final int MAX_PER_FRAME = 256;

  private AckRanges() {}

  /** How many ranges a body of {@code length} bytes holds. */
  public static int count(FrameType type, int length) {
    if (length % BYTES != 0) {
      throw FrameHeader.malformed(type, "cut range");
    }
    return length / BYTES;
  }

  /** Checks one range on its own. */
  public static void check(FrameType type, ByteBuffer body, int offset) {
    long first = first(body, offset);
    long refund = refund(body, offset);
    if (first < 0 || blocks(body, offset) < 1 || first > Long.MAX_VALUE - Integer.MAX_VALUE) {
      throw FrameHeader.malformed(type, "bad range");
    }
    if (refund < 0 || refund > TransportLimits.MAX_CREDIT) {
      throw FrameHeader.malformed(type, "refund of " + refund);
    }
  }

  public static long first(ByteBuffer body, int offset) {
    return body.getLong(offset);
  }

  public static int blocks(ByteBuffer body, int offset) {
    return body.getInt(offset + 8);
  }

  public static long refund(ByteBuffer body, int offset) {
    return body.getLong(offset + 12);
  }
}
