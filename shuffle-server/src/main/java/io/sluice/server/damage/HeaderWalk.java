package io.sluice.server.damage;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.server.segment.Extent;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Goes from header to header of an extent, as its readers do, and finds out whether they come to
 * its end. Payloads are passed over: damage there costs readers one block, and hides no other. Used
 * by one thread at a time.
 *
 * <p>No CRC is looked at, so a header is believed as far as what was known of the extent when it
 * was written agrees: blocks are sorted by map, within the extent's maps, and one begins at each
 * place that the sparse index names. The header that contradicts is where the damage is; a block
 * that leads past such a place would else leave readers of map ranges an end within it.
 */
final class HeaderWalk {
  /** Looked at where payloads are so long that the next header lies behind what was read. */
  private static final int FEW_BYTES = 4 << 10;

  private final Extent extent;
  // Where the next header lies, from the extent's first byte.
  private int next;
  private int blocks;
  // Of the last block; before the first, where that has to begin.
  private int lastMap;
  // The first entry of the sparse index that was not passed.
  private int mark;
  // Of the last block.
  private int payload;
  private @Nullable String damage;

  HeaderWalk(Extent extent) {
    this.extent = extent;
    this.lastMap = extent.firstMap();
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
    int map = BlockHeader.mapIndex(bytes, at);
    payload = BlockHeader.storedLength(bytes, at);
    int end = next + BlockHeader.LENGTH + payload;
    damage = contradiction(BlockHeader.partition(bytes, at), map, end);
    if (damage != null) {
      damage += ": " + BlockHeader.describe(bytes, at);
      return;
    }
    next = end;
    blocks++;
    lastMap = map;
  }

  private @Nullable String contradiction(int partition, int map, int end) {
    if (partition != extent.partition()) {
      return "block of another partition";
    }
    if (map < lastMap || map > extent.lastMap()) {
      return "block of a map that does not belong there";
    }
    int[] begins = extent.sparseOffsets();
    while (mark < begins.length && begins[mark] <= next) {
      mark++;
    }
    return mark < begins.length && begins[mark] < end
        ? "block leads past the beginning of another at " + begins[mark]
        : null;
  }

  /** What readers come to the end of: all blocks before the damage; null if there is none. */
  @Nullable Extent reached() {
    return blocks == 0 ? null : extent.upTo(next, blocks, lastMap);
  }

  /** Why readers do not come to the extent's end; null if they do, or as far as is known. */
  @Nullable String damage() {
    return damage;
  }
}
