package io.sluice.benchmarks.storage.load;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One writer's stream of blocks, cut into frames. A block that fits its frame is made in it, around
 * the random bytes that are there: what a client costs beside the engine is its CRCs. One thread's,
 * but for the shared map counter.
 */
final class BlockSource {
  private final BlockPlan plan;
  private final AtomicInteger nextMap;
  // A block on its way that did not fit its frame.
  private final ByteBuffer block;
  private final RandomBytes random;
  private final Crc32c crc = new Crc32c();
  private final Digest digest = new Digest();
  private int map = -1;
  private int partition;
  private int sequence;

  /**
   * @param nextMap shared by all writers of the plan
   */
  BlockSource(BlockPlan plan, AtomicInteger nextMap) {
    this.plan = plan;
    this.nextMap = nextMap;
    this.random = new RandomBytes(plan.longest());
    this.block = ByteBuffer.allocateDirect(plan.longest()).limit(0);
    random.fill(block);
  }

  /** Fills a frame, which is then flipped; false if there is nothing left to fill it with. */
  boolean fill(Frame frame) {
    if (!block.hasRemaining() && map < 0 && !beginMap()) {
      return false;
    }
    frame.begin(plan.shuffleOf(map));
    ByteBuffer out = frame.bytes();
    boolean more = true;
    while (more && out.remaining() >= BlockHeader.LENGTH) {
      if (block.hasRemaining()) {
        goOn(out);
      } else {
        more = next(out);
      }
    }
    out.flip();
    return true;
  }

  /** A frame to be filled by this source. */
  Frame frame() {
    return new Frame(random);
  }

  Digest digest() {
    return digest;
  }

  private boolean beginMap() {
    int next = nextMap.getAndIncrement();
    map = next < plan.maps() ? next : -1;
    partition = 0;
    sequence = 0;
    return map >= 0;
  }

  /** As much as fits of the block that the last frame could not hold. */
  private void goOn(ByteBuffer out) {
    int part = Math.min(out.remaining(), block.remaining());
    out.put(out.position(), block, block.position(), part);
    out.position(out.position() + part);
    block.position(block.position() + part);
  }

  /** Makes the map's next block, in the frame if it fits; false at the map's end. */
  private boolean next(ByteBuffer out) {
    if (partition == plan.partitions()) {
      map = -1;
      return false;
    }
    int stored = plan.length(map, partition, sequence);
    if (BlockHeader.LENGTH + stored <= out.remaining()) {
      make(out, out.position(), stored);
      out.position(out.position() + BlockHeader.LENGTH + stored);
    } else {
      block.clear().limit(BlockHeader.LENGTH + stored);
      make(block, 0, stored);
    }
    return true;
  }

  private void make(ByteBuffer target, int at, int stored) {
    boolean last = plan.isLast(sequence);
    BlockHeader.write(
        target, at, last ? BlockHeader.LAST : 0, partition, map, map, sequence, stored, stored, 1);
    BlockHeader.seal(target, at, crc);
    digest.add(target, at);
    sequence = last ? 0 : sequence + 1;
    partition += last ? 1 : 0;
  }
}
