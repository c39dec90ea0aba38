package io.sluice.server.catalog;

import java.nio.ByteBuffer;
import java.util.Collection;

/**
 * One record per unit of a disk. What a method has recorded survives the death of the process, not
 * necessarily power loss. Thread-safe.
 *
 * <p>Every method throws a {@link io.sluice.common.error.SluiceException}: DISK_FAILED if the disk
 * does not carry it out, CORRUPT_CATALOG if what is stored cannot be understood.
 */
public interface UnitCatalog extends AutoCloseable {
  /**
   * Records a unit whose bytes are in place.
   *
   * @param header from position to limit; copied
   */
  void put(long segment, long offset, ByteBuffer header);

  /** Drops records of units that turned out to be missing. */
  void drop(long segment, long offset);

  /** The same, and power loss does not bring it back: another unit may have its place at once. */
  default void dropNow(long segment, long offset) {
    drop(segment, offset);
    sync();
  }

  /**
   * Marks segments as being removed and deletes the records of their units, each segment in one
   * step.
   */
  void beginRemoval(Collection<Removal> segments);

  /** Forgets removals of segments whose files are gone. */
  void endRemoval(Collection<Removal> segments);

  /** Shows all records: first all removals, then the units in order of segment and offset. */
  void scan(Visitor visitor);

  /** Shows the units of one segment, in order of offsets. */
  void scan(long segment, Visitor visitor);

  /** Bytes of keys and values recorded since open. */
  long bytesWritten();

  /** Makes everything recorded survive power loss, as far as the catalog outlives a process. */
  default void sync() {}

  /**
   * Finds out whether records are taken, and mends what keeps the catalog from taking any, if the
   * disk lets it. Blocks.
   */
  default void probe() {}

  /**
   * Gives back the room that records have taken which are gone, if it is worth it: to be called
   * when next to none is left. One call at a time; blocks, and is not watched, as {@link #sync} is
   * not.
   */
  default void tidy() {}

  /** Makes everything recorded survive power loss and closes the catalog. */
  @Override
  void close();

  /** Shown the records of a catalog. */
  interface Visitor {
    /**
     * @param header valid during the call only
     */
    void unit(long segment, long offset, ByteBuffer header);

    default void removing(Removal segment) {}
  }
}
