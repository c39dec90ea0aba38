package io.sluice.server.segment;

import io.sluice.common.id.ShuffleKey;
import io.sluice.server.cache.ReadTarget;
import io.sluice.server.disk.DiskHealth;
import io.sluice.server.disk.DiskOptions;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The segments and the catalog of one disk. Thread-safe; reads and writes are carried out on the
 * disk's own bounded executor, and callbacks come on its threads.
 */
public interface SegmentStore extends AutoCloseable {
  /** The directory, for people. */
  String name();

  /** Where it stands among the others; extents fall from higher tiers to lower ones. */
  default Tier tier() {
    return Tier.SSD;
  }

  /** Everything the catalog held when the disk was opened, torn tails cut. */
  Map<ShuffleKey, List<Extent>> recovered();

  /**
   * One of the disk's few staging buffers, empty and bound to a shuffle, or null if all are in use
   * or the disk is fenced; {@code onAvailable} then runs once when one comes back or the fence
   * falls, however often it was left until then, on whichever thread that happens, and must be
   * short. A caller may rely on that alone. Whoever waits when the store closes is not called.
   *
   * @throws io.sluice.common.error.SluiceException SHUTTING_DOWN after {@link #close}
   */
  @Nullable UnitBuilder tryStage(ShuffleKey shuffle, Runnable onAvailable);

  /**
   * Writes a unit with one positional write, then its catalog record, then calls back with its
   * extents in the order they were added. The store owns the unit from here and recycles it after
   * the callback. A unit that failed leaves nothing on the disk. If the disk does not return, the
   * callback comes from another thread, and the unit is recycled when it has.
   *
   * @throws IllegalStateException if the unit is empty, or was submitted or discarded before: then
   *     it stays with the caller
   */
  void write(UnitBuilder unit, WriteCallback callback);

  /**
   * Reads as many bytes of an extent as the target wants. The extent stays readable (its segment is
   * not unlinked) until the callback, even if its shuffle is removed meanwhile; the target belongs
   * to the store until then, and has its bytes unless the read failed: then, too, whatever was
   * leased to it is to be given back. Blocks are not verified here: their reader does. What is in
   * memory already is handed over at once: then the callback runs before this returns, on the
   * caller's thread, so callers must not read on from within it without bound.
   *
   * @param part what the same reader wants of the extent, with this read and others
   * @param offset from the extent's first byte
   * @throws IndexOutOfBoundsException if the range leaves the part
   */
  void read(ExtentPart part, int offset, ReadTarget target, ReadCallback callback);

  /**
   * The same into a buffer, from its position to its limit, which its position has come to when the
   * callback runs, unless the read failed.
   *
   * @param target direct, so that no byte is copied once more
   */
  default void read(ExtentPart part, int offset, ByteBuffer target, ReadCallback callback) {
    read(
        part,
        offset,
        ReadTarget.copyInto(target),
        failure -> {
          if (failure == null) {
            target.position(target.limit());
          }
          callback.read(failure);
        });
  }

  /**
   * Sums what the units of a shuffle say of its map attempts, and calls back with that: nothing if
   * it has none here. A unit says nothing that was written before units did (version 1), or has
   * more attempts than its header has room for; nor do units whose records are not in a catalog.
   * What is written or removed meanwhile may be in the tally or not. One at a time.
   *
   * <p>By default nothing is known.
   *
   * @param maxAttempts that are told apart; those met later count as not there
   * @param callback on a thread of the disk; or on the caller's before this returns
   */
  default void tally(ShuffleKey shuffle, int maxAttempts, TallyCallback callback) {
    callback.tallied(new MapTally(maxAttempts), null);
  }

  /** Where the unit lies that an extent is of; as if each segment were one, by default. */
  default UnitRange unitOf(Extent extent) {
    return UnitRange.ALL;
  }

  /** Hides a shuffle's segments at once and unlinks them when their last read has ended. */
  void remove(ShuffleKey shuffle);

  /** What is known of it; never waits for the disk, whose room is that of a moment ago. */
  DiskUsage usage();

  /** What stores have in common that share their free bytes; a store of its own by default. */
  default String fileSystem() {
    return name();
  }

  /** Whether the disk is fenced, and why. */
  DiskHealth health();

  /**
   * Has somebody told whenever {@link #health} turns from good to bad or back, or a bad disk is not
   * to be read any more either, as long as the store lives, beside all who were told before. Called
   * on any thread, must be quick.
   */
  void onHealthChange(Runnable listener);

  /** Payload of a full unit in bytes; 0 if any size is as good. */
  default int unitBytes() {
    return 0;
  }

  /**
   * Free bytes, as {@link DiskUsage#free} has them, below which the next unit might find no room;
   * {@link DiskOptions#comfortableSpace} of a disk. 0 if there is no such bound.
   */
  default long comfortableSpace() {
    return 0;
  }

  /**
   * How many bytes apart readers of the same bytes may be, if one read from the disk is to serve
   * them all; 0 if nothing is shared.
   */
  default long readerSpread() {
    return 0;
  }

  /**
   * Which of some extents' parts, all of which a reader needs, it had better read next: one that is
   * in memory, so that the disk need not be asked; else one that keeps the disk busy. A glance
   * under one lock; -1 if it makes no difference.
   */
  default int firstAtHand(List<ExtentPart> parts) {
    return -1;
  }

  /** What the disk has done and is doing, for metrics. */
  default DiskActivity activity() {
    return DiskActivity.NONE;
  }

  /**
   * Catalogued units whose bytes were gone when the store was opened, and files in which there may
   * be units, for all it could find out.
   */
  default int lostUnits() {
    return 0;
  }

  /**
   * Makes every unit that this life has written survive power loss, and those found of lives that
   * were killed, but for files that may not be opened. One at a time.
   *
   * @return completed on a thread of the disk or the caller's; with a SluiceException if the disk
   *     does not or is fenced (DISK_FAILED), or is closed meanwhile (SHUTTING_DOWN); never if it
   *     does not answer. To cancel it keeps what has not begun from being done.
   */
  default CompletableFuture<Void> sync() {
    return CompletableFuture.completedFuture(null);
  }

  /** Waits for writes under way, syncs the catalog, releases the lock. */
  @Override
  void close();

  /** Told how a unit write ended. */
  interface WriteCallback {
    /**
     * @param extents null if the write failed: the caller still has the blocks in memory
     * @param failure null if it succeeded; otherwise a SluiceException with UNKNOWN_SHUFFLE
     *     (removed since the unit was staged), NO_DISK_SPACE, DISK_FAILED or SHUTTING_DOWN
     */
    void written(@Nullable List<Extent> extents, @Nullable Throwable failure);
  }

  /** Told how a read ended. */
  interface ReadCallback {
    /**
     * @param failure null if the target has its bytes; otherwise a SluiceException with
     *     UNKNOWN_SHUFFLE (removed), CORRUPT_UNIT (the segment is shorter than its extent),
     *     DISK_FAILED, DATA_LOST (the disk does not answer), TOO_MANY_STREAMS (too many reads wait)
     *     or SHUTTING_DOWN
     */
    void read(@Nullable Throwable failure);
  }

  /** Told what a tally came to. */
  interface TallyCallback {
    /**
     * @param tally the callback's own; null if it failed
     * @param failure null if it did not; otherwise a SluiceException with TOO_MANY_STREAMS (another
     *     one is under way), DATA_LOST (the disk does not answer), DISK_FAILED, CORRUPT_CATALOG,
     *     CORRUPT_UNIT or SHUTTING_DOWN
     */
    void tallied(@Nullable MapTally tally, @Nullable Throwable failure);
  }

  /**
   * What a disk has done and has left, in bytes. Counters since start.
   *
   * @param payloadBytesWritten blocks in units that were written
   * @param bytesWritten these units with headers and padding, and their catalog records
   * @param openFiles segment files open now
   */
  record DiskUsage(
      long capacity,
      long free,
      long payloadBytesWritten,
      long bytesWritten,
      long bytesRead,
      int openFiles,
      int segments,
      boolean healthy) {}
}
