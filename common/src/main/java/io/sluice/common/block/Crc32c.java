package io.sluice.common.block;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * A reusable CRC32C (Castagnoli) accumulator over buffers; the JDK's intrinsic underneath. Not
 * thread-safe; one per thread or per connection.
 */
public final class Crc32c {
  private final CRC32C crc = new CRC32C();

  public void reset() {
    crc.reset();
  }

  /** Adds the bytes in [offset, offset + length); the buffer's position and limit end unchanged. */
  public void update(ByteBuffer buffer, int offset, int length) {
    int position = buffer.position();
    int limit = buffer.limit();
    buffer.limit(offset + length).position(offset);
    crc.update(buffer);
    buffer.limit(limit).position(position);
  }

  public int value() {
    return (int) crc.getValue();
  }
}
