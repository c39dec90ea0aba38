package io.sluice.server.segment;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Unpacks the extents of a unit (docs/storage-format.md, "Extent table"). */
final class ExtentTable {
  private static final int[] NONE = {};

  private ExtentTable() {}

  /**
   * @param table consumed to its limit
   * @param payloadOffset of the unit's first extent in the segment
   * @throws SluiceException CORRUPT_UNIT if the table does not describe exactly {@code count}
   *     extents of {@code payloadLength} bytes together, of partitions that there can be
   */
  static List<Extent> unpack(
      ByteBuffer table, int count, long segment, long payloadOffset, int payloadLength) {
    // A count is believed only as far as the table's bytes go: six numbers make an extent.
    if (count > table.remaining() / 6) {
      throw corrupt("extent table is too short for " + count + " extents");
    }
    List<Extent> extents = new ArrayList<>(count);
    int partition = -1;
    long used = 0;
    for (int i = 0; i < count; i++) {
      Extent extent = unpackOne(table, partition, segment, payloadOffset + used);
      partition = extent.partition();
      used += extent.length();
      extents.add(extent);
    }
    if (used != payloadLength) {
      throw corrupt("extents take " + used + " bytes of a payload of " + payloadLength);
    }
    if (table.hasRemaining()) {
      throw corrupt("extent table goes on after its last extent");
    }
    return extents;
  }

  private static Extent unpackOne(
      ByteBuffer table, int previousPartition, long segment, long offset) {
    int partition = sum(previousPartition + 1, Varints.get(table));
    if (partition >= Extent.MAX_PARTITIONS) {
      // Whoever serves it makes room for all numbers up to it.
      throw corrupt("extent of partition " + partition);
    }
    int length = Varints.get(table);
    int blocks = Varints.get(table);
    int firstMap = Varints.get(table);
    int lastMap = sum(firstMap, Varints.get(table));
    int sparse = Varints.get(table);
    if (sparse == 0) {
      return new Extent(partition, segment, offset, length, blocks, firstMap, lastMap, NONE, NONE);
    }
    if (sparse > table.remaining() / 2) {
      throw corrupt("extent table is too short for " + sparse + " sparse entries");
    }
    int[] maps = new int[sparse + 1];
    int[] offsets = new int[sparse + 1];
    maps[0] = firstMap;
    for (int i = 1; i <= sparse; i++) {
      maps[i] = sum(maps[i - 1], Varints.get(table));
      offsets[i] = sum(offsets[i - 1], Varints.get(table));
    }
    if (maps[sparse] > lastMap || offsets[sparse] >= length) {
      throw corrupt("sparse index leaves its extent");
    }
    return new Extent(partition, segment, offset, length, blocks, firstMap, lastMap, maps, offsets);
  }

  private static int sum(int a, int b) {
    if (a > Integer.MAX_VALUE - b) {
      throw corrupt("number in an extent table is too large");
    }
    return a + b;
  }

  private static SluiceException corrupt(String what) {
    return new SluiceException(ErrorCode.CORRUPT_UNIT, what);
  }
}
