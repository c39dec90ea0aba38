package io.sluice.server.segment;

import io.sluice.common.block.Crc32c;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds units in bytes that the catalog does not know (docs/storage-format.md, "Recovery"). Looks
 * at every aligned offset, jumps over what it finds, and skips what is no unit, but not without
 * end. Used by one thread.
 */
final class UnitScanner {
  private static final Logger log = LoggerFactory.getLogger(UnitScanner.class);

  private static final int WINDOW = 64 << 10;

  /**
   * Bytes read of headers that are none, for each of the file's, and whatever its size. A crash
   * leaves a few; a file that claims one at each page, as somebody may have written it, would have
   * 8 MiB read for each 4 KiB.
   */
  private static final int REJECTED_PER_BYTE = 2;

  private static final long REJECTED_MIN = 64L << 20;

  private final ByteBuffer window = ByteBuffer.allocate(WINDOW);
  private final Crc32c crc = new Crc32c();
  private final BlockChecker blocks = new BlockChecker();
  private long rejectedLeft;

  /** Told of each unit, in order of offsets. */
  interface Visitor {
    /**
     * @param record the header's bytes
     */
    void unit(UnitHeader header, ByteBuffer record, List<Extent> extents);
  }

  /**
   * @param from aligned
   * @param length of the file
   * @return whether all of it was looked at
   */
  boolean scan(DiskFile file, SegmentFileName name, long from, long length, Visitor visitor)
      throws IOException {
    rejectedLeft = REJECTED_MIN + REJECTED_PER_BYTE * length;
    // A crash tears the last unit at most, so a unit is believed when another follows it.
    Found last = null;
    Found next = find(file, name, from, length);
    while (next != null) {
      if (last != null) {
        visitor.unit(last.header(), last.record(), last.extents());
      }
      last = next;
      next = find(file, name, last.end(), length);
    }
    if (last != null && blocks.intact(file, last.extents())) {
      visitor.unit(last.header(), last.record(), last.extents());
    }
    return rejectedLeft >= 0;
  }

  private @Nullable Found find(DiskFile file, SegmentFileName name, long from, long length)
      throws IOException {
    for (long start = from; length - start >= Disk.ALIGNMENT; start += WINDOW) {
      int size = (int) Math.min(WINDOW, length - start) & -Disk.ALIGNMENT;
      window.clear().limit(size);
      if (!FullReads.read(file, window, start)) {
        return null;
      }
      for (int at = 0; at < size; at += Disk.ALIGNMENT) {
        int claimed = UnitHeader.claimedLength(window, at);
        long end = start + at + claimed;
        if (claimed < 0 || end > length) {
          continue;
        }
        Found unit = read(file, name, start + at, claimed);
        if (unit != null && unit.end() <= length) {
          return unit;
        }
        rejectedLeft -= claimed;
        if (rejectedLeft < 0) {
          log.warn("{}: too much of it claims to be a unit; nothing behind {} is found", name, end);
          return null;
        }
      }
    }
    return null;
  }

  private @Nullable Found read(DiskFile file, SegmentFileName name, long offset, int headerLength)
      throws IOException {
    ByteBuffer record = ByteBuffer.allocate(headerLength);
    if (!FullReads.read(file, record, offset)) {
      return null;
    }
    record.flip();
    try {
      UnitHeader header = UnitHeader.decode(record, 0, crc);
      boolean belongs =
          header.position().segment() == name.number()
              && header.position().offset() == offset
              && header.shuffle().equals(name.shuffle());
      return belongs ? new Found(header, record, header.unpackExtents(record, 0)) : null;
    } catch (SluiceException notAUnit) {
      return null;
    }
  }

  private record Found(UnitHeader header, ByteBuffer record, List<Extent> extents) {
    long end() {
      return header.position().offset() + header.unitLength();
    }
  }
}
