package io.sluice.server.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A file that claims a unit at each page, with the longest header that there may be. */
class ClaimedUnitsTest {
  private static final long LENGTH = 256L << 20;

  /** What a page begins with that claims to be a unit. */
  static final byte[] CLAIM =
      ByteBuffer.allocate(12)
          .putInt(UnitHeader.MAGIC)
          .putShort((short) UnitHeader.VERSION)
          .putShort((short) 0)
          .putInt(UnitHeader.HEADER_MAX)
          .array();

  @Test
  void costsAScanAFewTimesItsLength() throws IOException {
    Claims file = new Claims();
    List<UnitHeader> found = new ArrayList<>();
    boolean all =
        new UnitScanner()
            .scan(
                file,
                new SegmentFileName(1, TestBlocks.shuffle(1)),
                0,
                LENGTH,
                (header, record, extents) -> found.add(header));
    assertThat(all).as("looked at").isFalse();
    assertThat(found).isEmpty();
    assertThat(file.read).as("bytes read").isGreaterThan(LENGTH);
  }

  private static final class Claims extends ReadOnlyFile {
    long read;

    @Override
    public int read(ByteBuffer target, long position) {
      int length = target.remaining();
      read += length;
      // At once: a scan without end reads half a terabyte before it has one.
      assertThat(read).as("bytes read").isLessThan(4 * LENGTH);
      for (int at = target.position(); at < target.limit(); at += 4096) {
        target.put(at, CLAIM);
      }
      target.position(target.limit());
      return length;
    }

    @Override
    public long length() {
      return LENGTH;
    }
  }
}
