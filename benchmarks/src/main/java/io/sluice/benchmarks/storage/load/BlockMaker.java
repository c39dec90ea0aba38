package io.sluice.benchmarks.storage.load;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Crc32c;
import java.nio.ByteBuffer;

/** Makes the blocks of a plan, in any order: the same whenever one is asked for. One thread's. */
final class BlockMaker {
  /** Random bytes that payloads are cut from: small enough to stay in a core's own cache. */
  private static final int POOL_BYTES = 512 << 10;

  private final BlockPlan plan;
  private final ByteBuffer pool;
  private final ByteBuffer block;
  private final Crc32c crc = new Crc32c();

  BlockMaker(BlockPlan plan) {
    this.plan = plan;
    this.pool = ByteBuffer.allocateDirect(POOL_BYTES + plan.longest());
    new RandomBytes(POOL_BYTES).fill(pool);
    this.block = ByteBuffer.allocateDirect(plan.longest()).limit(0);
  }

  /** A block, header and payload, from 0 to the buffer's limit; good until the next call. */
  ByteBuffer make(int map, int partition, int sequence) {
    int stored = plan.length(map, partition, sequence);
    boolean last = plan.isLast(sequence);
    block.clear().limit(BlockHeader.LENGTH + stored);
    BlockHeader.write(
        block, 0, last ? BlockHeader.LAST : 0, partition, map, map, sequence, stored, stored, 1);
    int from = (int) Long.remainderUnsigned(plan.hash(map, partition, sequence), POOL_BYTES);
    block.put(BlockHeader.LENGTH, pool, from, stored);
    BlockHeader.seal(block, 0, crc);
    return block;
  }
}
