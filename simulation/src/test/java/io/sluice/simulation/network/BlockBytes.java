package io.sluice.simulation.network;

/**
 * Follows a stream just far enough to know which of its bytes are block bytes: the bodies of PUSH
 * and DATA frames. Written against docs/protocol.md, not with the codec under test.
 */
final class BlockBytes {
  private static final int MAGIC_BYTES = 8;
  private static final int HEADER_BYTES = 16;
  private static final int TYPE_AT = 4;
  private static final int PUSH = 0x12;
  private static final int DATA = 0x28;

  private int magicLeft = MAGIC_BYTES;
  private int headerAt;
  private int length;
  private int type;
  private long bodyLeft;

  /**
   * Takes the next bytes of the stream.
   *
   * @param victim a position among them, or −1
   * @return whether the byte there belongs to a block
   */
  boolean next(byte[] bytes, int victim) {
    boolean found = false;
    int at = Math.min(magicLeft, bytes.length);
    magicLeft -= at;
    while (at < bytes.length) {
      if (bodyLeft > 0) {
        int part = (int) Math.min(bodyLeft, bytes.length - at);
        found |= (type == PUSH || type == DATA) && victim >= at && victim < at + part;
        bodyLeft -= part;
        at += part;
      } else {
        header(bytes[at++]);
      }
    }
    return found;
  }

  private void header(byte value) {
    if (headerAt < Integer.BYTES) {
      length = (length << Byte.SIZE) | (value & 0xFF);
    } else if (headerAt == TYPE_AT) {
      type = value & 0xFF;
    }
    if (++headerAt == HEADER_BYTES) {
      headerAt = 0;
      bodyLeft = length;
      length = 0;
    }
  }
}
