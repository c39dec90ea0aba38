package io.sluice.server.damage;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.server.segment.Extent;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Goes from header to header of an extent, as its readers do, and finds out whether they come to
 * its end. Payloads are passed over: damage there costs readers one block, and hides no other. Used
 * by one thread at a time.
 *
 * <p>No CRC is looked at, and readers step over blocks whose CRC is wrong. So a header that is
 * wrong in what leads nowhere else is stepped over, or what others have read behind it would be
 * missing. But nothing is kept for its word: an extent is not cut off behind a block whose header
 * contradicts what was known when it was written, and where none is met although the sparse index
 * names one no reader is led.
 */
final class HeaderWalk {
  /** Looked at where payloads are so long that the next header lies behind what was read. */
  private static final int FEW_BYTES = 4 << 10;

  private final Extent extent;
  // Where the next header lies, from the extent's first byte.
  private int next;
  private int blocks;
  // Up to the end of the last block that nothing contradicts.
  private int reached;
  private int reachedBlocks;
  // The first entry of the sparse index that was not passed, and those that were stepped on.
  private int mark;
  private final Set<Integer> begins = new HashSet<>();
  // Of the last block.
  private int payload;
  private @Nullable String damage;

  HeaderWalk(Extent extent) {
    this.extent = extent;
  }

  /** Where it wants to look at bytes, from the extent's first byte. */
  int next() {
    return next;
  }

  /** How many bytes it wants to look at, at most so many; 0 if it is over. */
  int wants(int max) {
    int useful = payload > max ? Math.min(max, FEW_BYTES) : max;
    return damage != null ? 0 : Math.min(useful, extent.length() - next);
  }

  /**
   * Looks at bytes from {@link #next} on.
   *
   * @param bytes from 0 to the limit; as many as it wanted of at least a header's length
   */
  void look(ByteBuffer bytes) {
    int start = next;
    while (damage == null && next < extent.length()) {
      int at = next - start;
      if (extent.length() - next < BlockHeader.LENGTH) {
        damage = "it ends within a header";
      } else if (bytes.limit() - at < BlockHeader.LENGTH) {
        return;
      } else {
        step(bytes, at);
      }
    }
    if (damage == null && blocks != extent.blocks()) {
      damage = "it has " + blocks + " headers for " + extent.blocks() + " blocks";
    }
  }

  private void step(ByteBuffer bytes, int at) {
    try {
      BlockHeader.validate(bytes, at, extent.length() - next - BlockHeader.LENGTH);
    } catch (SluiceException e) {
      damage = e.getMessage();
      return;
    }
    if (BlockHeader.partition(bytes, at) != extent.partition()) {
      damage = "block of another partition: " + BlockHeader.describe(bytes, at);
      return;
    }
    payload = BlockHeader.storedLength(bytes, at);
    int end = next + BlockHeader.LENGTH + payload;
    int map = BlockHeader.mapIndex(bytes, at);
    boolean swallows = passMarks(end);
    next = end;
    blocks++;
    if (!swallows && map >= extent.firstMap() && map <= extent.lastMap()) {
      reached = next;
      reachedBlocks = blocks;
    }
  }

  /** Whether a block should begin between the next one's beginning and its end. */
  private boolean passMarks(int end) {
    int[] offsets = extent.sparseOffsets();
    boolean swallows = false;
    while (mark < offsets.length && offsets[mark] < end) {
      if (offsets[mark] == next) {
        begins.add(next);
      } else {
        swallows = true;
      }
      mark++;
    }
    return swallows;
  }

  /** What readers come to the end of, and may be led to; null if there is nothing. */
  @Nullable Extent reached() {
    return reachedBlocks == 0 ? null : extent.upTo(reached, reachedBlocks, begins::contains);
  }

  /** Why readers do not come to the extent's end; null if they do, or as far as is known. */
  @Nullable String damage() {
    return damage;
  }
}
