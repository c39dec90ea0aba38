package io.sluice.server.segment;

import io.sluice.common.block.Crc32c;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds units in bytes that the catalog does not know (docs/storage-format.md, "Recovery"). Looks
 * at every aligned offset, jumps over what it finds, and skips what is no unit. Used by one thread.
 */
final class UnitScanner {
  private static final int WINDOW = 64 << 10;

  private final ByteBuffer window = ByteBuffer.allocate(WINDOW);
  private final Crc32c crc = new Crc32c();
  private final BlockChecker blocks = new BlockChecker();

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
   */
  void scan(DiskFile file, SegmentFileName name, long from, long length, Visitor visitor)
      throws IOException {
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
        Found unit = claimed < 0 || end > length ? null : read(file, name, start + at, claimed);
        if (unit != null && unit.end() <= length) {
          return unit;
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
