package io.sluice.server.ingest;

import io.sluice.common.block.BlockHeader;
import io.sluice.server.credit.ConnectionAccount;
import io.sluice.server.credit.CreditBroker;
import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryReservation;
import io.sluice.server.partition.ChunkSource;
import java.nio.ByteBuffer;

/**
 * Where a connection's blocks get their memory.
 *
 * <p>While memory is ample, a run's next chunk is as large as what the run has already, so that at
 * most half is waste, and is paid for by free memory: the block's whole charge can be refunded.
 * When memory is short, it is no larger than what the block needs, and paid for by the block's
 * charge, which is always enough: charges are rounded up to the smallest chunk.
 */
final class ConnectionChunks implements ChunkSource, AutoCloseable {
  private final ChunkArena arena;
  private final CreditBroker broker;
  private final ConnectionAccount account;
  // Of free memory; nothing between calls.
  private final MemoryReservation ample;

  ConnectionChunks(ChunkArena arena, CreditBroker broker, ConnectionAccount account) {
    this.arena = arena;
    this.broker = broker;
    this.account = account;
    this.ample = arena.budget().empty();
  }

  @Override
  public Chunk next(int held, int needed) {
    if (!broker.memoryShort()) {
      int size = ChunkArena.sizeWithin(Math.max(wholeUnits(needed), held));
      if (ample.grow(size)) {
        try {
          return arena.allocate(ample, size);
        } finally {
          ample.shrink(ample.bytes());
        }
      }
    }
    return arena.allocate(account.held(), wholeUnits(needed));
  }

  /**
   * Gives a block that comes in parts chunks of its own, of exactly its charge in total. They too
   * are paid for by free memory while that is ample: another server's charge is of a reserve that
   * is to be free again when the block is answered, and not when it has left memory.
   */
  void forBlock(PartialBlock block) {
    int bytes = wholeUnits(block.length());
    if (broker.memoryShort() || !ample.grow(bytes)) {
      cut(account.held(), bytes, block);
      return;
    }
    try {
      cut(ample, bytes, block);
    } finally {
      ample.shrink(ample.bytes());
    }
  }

  private void cut(MemoryReservation from, int bytes, PartialBlock block) {
    int left = bytes;
    while (left > 0) {
      Chunk chunk = arena.allocate(from, left);
      block.take(chunk);
      left -= chunk.capacity();
    }
  }

  @Override
  public void close() {
    ample.close();
  }

  private static int wholeUnits(int bytes) {
    int unit = ChunkArena.MIN_CHUNK_BYTES;
    return (bytes + unit - 1) / unit * unit;
  }

  /** Bytes of a block, header included. */
  static int length(ByteBuffer bytes, int offset) {
    return BlockHeader.LENGTH + BlockHeader.storedLength(bytes, offset);
  }
}
