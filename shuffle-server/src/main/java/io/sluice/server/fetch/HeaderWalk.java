package io.sluice.server.fetch;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.server.segment.Extent;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Goes from header to header of an extent, as its readers do, and finds out whether they come to
 * its end. Payloads are passed over: damage there costs readers one block, and hides no other. Used
 * by one thread at a time.
 */
final class HeaderWalk {
  private final Extent extent;
  // Where the next header lies, from the extent's first byte.
  private int next;
  private int blocks;
  private int lastMap;
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
    return damage != null ? 0 : Math.min(max, extent.length() - next);
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
    next += BlockHeader.LENGTH + BlockHeader.storedLength(bytes, at);
    blocks++;
    lastMap = BlockHeader.mapIndex(bytes, at);
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
