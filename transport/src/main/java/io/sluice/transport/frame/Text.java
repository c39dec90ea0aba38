package io.sluice.transport.frame;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Messages for people inside frames: UTF-8, cut to {@value #MAX_BYTES} bytes. */
final class Text {
  static final int MAX_BYTES = 1024;

  private Text() {}

  static byte[] encode(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MAX_BYTES) {
      return bytes;
    }
    int end = MAX_BYTES;
    while ((bytes[end] & 0xC0) == 0x80) {
      end--;
    }
    return Arrays.copyOf(bytes, end);
  }

  /** Never fails: what is not UTF-8 reads as replacement characters. */
  static String decode(ByteBuffer buffer, int offset, int length) {
    return new String(bytes(buffer, offset, length), StandardCharsets.UTF_8);
  }

  static byte[] bytes(ByteBuffer buffer, int offset, int length) {
    byte[] bytes = new byte[length];
    ByteBuffer view = buffer.duplicate();
    view.position(offset);
    view.get(bytes);
    return bytes;
  }
}
