package io.sluice.transport.frame;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;

/**
 * The fixed header before every body: u32 body length, u8 type, u8 flags, u16 reserved, i32
 * subject, i32 argument.
 */
public final class FrameHeader {
  public static final int LENGTH = 16;

  /** First bytes of each side: the name, and a line end that a text-mode gateway would alter. */
  public static final long MAGIC = 0x534C_5549_4345_0D0AL;

  public static final int MAGIC_LENGTH = 8;

  private FrameHeader() {}

  /**
   * The type of the frame whose header lies at {@code offset}, after all checks that need nothing
   * but the header.
   *
   * @throws SluiceException UNEXPECTED_FRAME for an unknown type, FRAME_TOO_LARGE, MALFORMED_FRAME
   */
  public static FrameType check(ByteBuffer buffer, int offset) {
    int code = buffer.get(offset + 4) & 0xFF;
    FrameType type = FrameType.ofCode(code);
    if (type == null) {
      throw new SluiceException(ErrorCode.UNEXPECTED_FRAME, "unknown frame type " + code);
    }
    if ((buffer.getInt(offset + 4) & 0x00FF_FFFF) != 0) {
      throw malformed(type, "flags or reserved bits set");
    }
    int length = bodyLength(buffer, offset);
    if (length < 0 || length > type.maxBody()) {
      throw new SluiceException(
          ErrorCode.FRAME_TOO_LARGE,
          type
              + " of "
              + Integer.toUnsignedString(length)
              + " bytes; at most "
              + type.maxBody()
              + " are allowed");
    }
    if (length < type.minBody()) {
      throw malformed(type, length + " bytes; at least " + type.minBody() + " are needed");
    }
    if ((subject(buffer, offset) | argument(buffer, offset)) < 0) {
      throw malformed(type, "negative subject or argument");
    }
    return type;
  }

  public static int bodyLength(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset);
  }

  public static int subject(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 8);
  }

  public static int argument(ByteBuffer buffer, int offset) {
    return buffer.getInt(offset + 12);
  }

  /** Appends a header; the caller appends {@code bodyLength} bytes of body, here or elsewhere. */
  public static ByteBuf write(
      ByteBuf out, FrameType type, int subject, int argument, int bodyLength) {
    return out.writeInt(bodyLength)
        .writeInt(type.code() << 24)
        .writeInt(subject)
        .writeInt(argument);
  }

  static SluiceException malformed(FrameType type, String what) {
    return new SluiceException(ErrorCode.MALFORMED_FRAME, type + ": " + what);
  }
}
