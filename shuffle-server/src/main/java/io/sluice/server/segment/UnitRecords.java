package io.sluice.server.segment;

import io.sluice.common.block.Crc32c;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.util.List;

/** Reads records of units as catalogs are given them (docs/storage-format.md, "Unit"). */
public final class UnitRecords {
  private UnitRecords() {}

  /**
   * The extents of a unit.
   *
   * @param record from position to limit; left as it is
   * @throws SluiceException CORRUPT_UNIT if it is none
   */
  public static List<Extent> extents(ByteBuffer record) {
    int start = record.position();
    return UnitHeader.decode(record, start, new Crc32c()).unpackExtents(record, start);
  }
}
