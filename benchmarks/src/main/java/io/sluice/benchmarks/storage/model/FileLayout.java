package io.sluice.benchmarks.storage.model;

import java.util.Map;
import java.util.TreeMap;

/** Where a file's bytes lie on the spindle: extents in the order in which it grew. */
final class FileLayout {
  private final Spindle spindle;
  // Position in the file to address and length; neighbours on the disk are one.
  private final TreeMap<Long, Piece> pieces = new TreeMap<>();
  private long length;

  private record Piece(long address, long bytes) {}

  FileLayout(Spindle spindle) {
    this.spindle = spindle;
  }

  long length() {
    return length;
  }

  /**
   * Writes; what lies behind the file's end gets new addresses, a gap before it too.
   *
   * @return when it is done
   */
  long write(long position, long bytes) {
    if (position + bytes > length) {
      grow(position + bytes - length);
    }
    return access(position, bytes, true);
  }

  /** Reads what was written before; returns when it is done. */
  long read(long position, long bytes) {
    return access(position, bytes, false);
  }

  private void grow(long bytes) {
    long address = spindle.allocate(bytes);
    Map.Entry<Long, Piece> last = pieces.lastEntry();
    if (last != null && last.getValue().address + last.getValue().bytes == address) {
      pieces.put(last.getKey(), new Piece(last.getValue().address, last.getValue().bytes + bytes));
    } else {
      pieces.put(length, new Piece(address, bytes));
    }
    length += bytes;
  }

  private long access(long position, long bytes, boolean write) {
    long done = 0;
    long at = position;
    while (at < position + bytes) {
      Map.Entry<Long, Piece> entry = pieces.floorEntry(at);
      if (entry == null || at >= length) {
        throw new IllegalArgumentException("nothing lies at " + at + " of " + length);
      }
      long within = at - entry.getKey();
      long part = Math.min(position + bytes - at, entry.getValue().bytes - within);
      long address = entry.getValue().address + within;
      done = write ? spindle.write(address, part) : spindle.read(address, part);
      at += part;
    }
    return done;
  }
}
