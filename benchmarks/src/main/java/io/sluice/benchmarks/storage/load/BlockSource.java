package io.sluice.benchmarks.storage.load;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** One writer's stream of blocks, cut into frames. One thread's, but for the shared map counter. */
final class BlockSource {
  /** Random bytes that payloads are cut from: small enough to stay in a core's own cache. */
  private static final int POOL_BYTES = 512 << 10;

  private final BlockPlan plan;
  private final AtomicInteger nextMap;
  private final ByteBuffer pool;
  private final ByteBuffer block;
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
    this.pool = ByteBuffer.allocateDirect(POOL_BYTES + plan.longest());
    SplittableRandom random = new SplittableRandom(POOL_BYTES);
    while (pool.remaining() >= Long.BYTES) {
      pool.putLong(random.nextLong());
    }
    this.block = ByteBuffer.allocateDirect(plan.longest()).limit(0);
  }

  /** Fills a frame, which is then flipped; false if there is nothing left to fill it with. */
  boolean fill(Frame frame) {
    if (!block.hasRemaining() && map < 0 && !beginMap()) {
      return false;
    }
    frame.begin(plan.shuffleOf(map));
    ByteBuffer out = frame.bytes();
    while (out.remaining() >= BlockHeader.LENGTH) {
      if (!block.hasRemaining() && !nextBlock()) {
        break;
      }
      int part = Math.min(out.remaining(), block.remaining());
      out.put(out.position(), block, block.position(), part);
      out.position(out.position() + part);
      block.position(block.position() + part);
    }
    out.flip();
    return true;
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

  /** Makes the map's next block; false at its end. */
  private boolean nextBlock() {
    if (partition == plan.partitions()) {
      map = -1;
      return false;
    }
    int stored = plan.length(map, partition, sequence);
    boolean last = sequence == plan.blocksPerPartition() - 1;
    block.clear().limit(BlockHeader.LENGTH + stored);
    BlockHeader.write(
        block, 0, last ? BlockHeader.LAST : 0, partition, map, map, sequence, stored, stored, 1);
    int from = (int) Long.remainderUnsigned(Digest.mix(digest.blocks() + map), POOL_BYTES);
    block.put(BlockHeader.LENGTH, pool, from, stored);
    BlockHeader.seal(block, 0, crc);
    digest.add(block, 0);
    sequence = last ? 0 : sequence + 1;
    partition += last ? 1 : 0;
    return true;
  }
}
