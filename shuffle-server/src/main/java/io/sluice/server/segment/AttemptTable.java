package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;

/** Unpacks what a unit says of map attempts (docs/storage-format.md, "Attempt table"). */
final class AttemptTable {
  private AttemptTable() {}

  /**
   * Adds a table's entries to a tally.
   *
   * @param table consumed to its limit
   * @throws SluiceException CORRUPT_UNIT if it is none: then some of it may have been added
   */
  static void addTo(MapTally tally, ByteBuffer table) {
    int map = 0;
    long attempt = 0;
    while (table.hasRemaining()) {
      int step = Varints.get(table);
      if (step > Integer.MAX_VALUE - map) {
        throw new SluiceException(ErrorCode.CORRUPT_UNIT, "map in an attempt table is too large");
      }
      map += step;
      attempt += unzigzag(Varints.getLong(table));
      int head = Varints.get(table);
      int blocks = head >>> 1;
      if ((head & 1) != 0) {
        tally.add(map, attempt, blocks, blocks, blocks);
      } else {
        int lasts = Varints.get(table);
        tally.add(map, attempt, blocks, lasts, Varints.getLong(table));
      }
    }
  }

  private static long unzigzag(long value) {
    return value >>> 1 ^ -(value & 1);
  }
}
