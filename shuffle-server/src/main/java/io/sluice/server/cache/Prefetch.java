package io.sluice.server.cache;

/**
 * How much around a wanted range is read with it. Neighbours in a unit are wanted soon, because
 * reducers read partitions in order; but how soon depends on how many units are read side by side,
 * and neighbours that are evicted before they are wanted were read in vain. So the size follows
 * what became of windows: it shrinks when one goes that was used by less than half, and grows again
 * after a run of windows that were. A growth that fails makes the next trial later.
 *
 * <p>Only windows read at the present size count; those of larger sizes leave late and would punish
 * twice. Confined to the cache's lock.
 */
final class Prefetch {
  /** Below this, wanted ranges are read as they are. */
  static final int SMALLEST = 64 << 10;

  private static final int SHRINK = 4;
  private static final int PATIENCE = 16;
  private static final int PATIENCE_MAX = 4096;

  private final int largest;
  private int size;
  private int useful;
  private int patience = PATIENCE;
  private boolean onTrial;

  /**
   * @param largest bytes, a power of two
   */
  Prefetch(int largest) {
    this.largest = largest;
    this.size = largest;
  }

  /** Cells of so many bytes are read whole; 0: only what is wanted. */
  int size() {
    return size;
  }

  /**
   * A window has left the cache.
   *
   * @param readAtSize what {@link #size} was when it was read
   * @param usedBytes handed out of it in all
   */
  void retired(int readAtSize, long usedBytes, int length) {
    if (readAtSize != size) {
      return;
    }
    // What was read as it was wanted says nothing of its neighbours: only a trial can.
    if (size > 0 && usedBytes * 2 < length) {
      shrink();
    } else if (++useful >= patience && size < largest) {
      grow();
    } else if (useful >= PATIENCE && onTrial) {
      onTrial = false;
      patience = PATIENCE;
    }
  }

  private void shrink() {
    if (onTrial) {
      patience = Math.min(patience * 2, PATIENCE_MAX);
      onTrial = false;
    }
    size = size / SHRINK < SMALLEST ? 0 : size / SHRINK;
    useful = 0;
  }

  private void grow() {
    size = size == 0 ? Math.min(SMALLEST, largest) : size * 2;
    useful = 0;
    onTrial = true;
  }
}
