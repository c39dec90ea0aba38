package io.sluice.integration.wire;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.id.ShuffleKey;
import java.nio.ByteBuffer;

/**
 * An order to damage one block on its way: a byte in the middle of its payload, the first so many
 * times that just this block passes. Which block that is, the traffic decides. Thread-safe.
 */
public final class Flip {
  /** So that the damage is in the midst of a stream and not at its start. */
  private static final int BLOCKS_BEFORE = 10;

  private final Way way;
  private final int times;
  private int passed;
  private int ordered;
  private int done;
  private String shuffle = "none";
  private String block = "none";

  Flip(Way way, int times) {
    this.way = way;
    this.times = times;
  }

  /** Whether a block that begins to pass is to be damaged; {@link #done} follows if it was. */
  synchronized boolean strikes(Way passing, ShuffleKey key, ByteBuffer header) {
    if (passing != way || ordered == times || BlockHeader.storedLength(header, 0) == 0) {
      return false;
    }
    if (ordered == 0) {
      if (passed++ < BLOCKS_BEFORE) {
        return false;
      }
      shuffle = key.toString();
      block = BlockHeader.describe(header, 0);
    } else if (!key.toString().equals(shuffle) || !BlockHeader.describe(header, 0).equals(block)) {
      return false;
    }
    ordered++;
    return true;
  }

  synchronized void done() {
    done++;
  }

  /** Bytes that were really changed. */
  public synchronized int count() {
    return done;
  }

  /** Application, shuffle and generation of the chosen block. */
  public synchronized String shuffle() {
    return shuffle;
  }

  /** Partition, map, attempt and number of the chosen block, as its header says. */
  public synchronized String block() {
    return block;
  }
}
