package io.sluice.tier.hdfs;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.server.partition.TableNeed;
import io.sluice.server.segment.UnitRecords;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Of a folder that was taken over, which may have more units than this server's heap has room for.
 * How many extents there are, nothing tells but the headers; so they are counted as they are read,
 * and reading ends where they are too many. Thread-safe.
 */
final class AdoptedCatalog extends HeaderCatalog {
  private final long tableRoom;
  private final AtomicLong taken = new AtomicLong();

  /**
   * @param tableRoom bytes of heap for all extents together
   */
  AdoptedCatalog(long tableRoom) {
    this.tableRoom = tableRoom;
  }

  /**
   * @throws SluiceException NO_MEMORY if it is one unit too many
   */
  @Override
  public void put(long segment, long offset, ByteBuffer header) {
    if (taken.addAndGet(TableNeed.ofExtents(UnitRecords.extents(header))) > tableRoom) {
      throw tooMany(tableRoom);
    }
  }

  /** That a folder has more extents than there is room for, and what can be done about it. */
  static SluiceException tooMany(long tableRoom) {
    return new SluiceException(
        ErrorCode.NO_MEMORY,
        "the tables of its extents take more than the "
            + tableRoom
            + " bytes of heap that are left for them: restart with more heap (-Xmx), or hand it to"
            + " another server");
  }
}
