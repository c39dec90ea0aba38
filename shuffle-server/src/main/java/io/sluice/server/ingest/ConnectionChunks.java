package io.sluice.server.ingest;

import io.sluice.common.block.BlockHeader;
import io.sluice.server.credit.ConnectionAccount;
import io.sluice.server.credit.CreditBroker;
import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryReservation;
import io.sluice.server.partition.ChunkSource;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

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
  private @Nullable Chunk[] scratch = new Chunk[4];

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
   * Chunks for a block of its own, of exactly its charge in total. They too are paid for by free
   * memory while that is ample: another server's charge is of a reserve that is to be free again
   * when the block is answered, and not when it has left memory.
   */
  Chunk[] forBlock(int length) {
    int bytes = wholeUnits(length);
    if (broker.memoryShort() || !ample.grow(bytes)) {
      return cut(account.held(), bytes);
    }
    try {
      return cut(ample, bytes);
    } finally {
      ample.shrink(ample.bytes());
    }
  }

  private Chunk[] cut(MemoryReservation from, int bytes) {
    int count = 0;
    int left = bytes;
    while (left > 0) {
      Chunk chunk = arena.allocate(from, left);
      if (count == scratch.length) {
        scratch = Arrays.copyOf(scratch, 2 * count);
      }
      scratch[count++] = chunk;
      left -= chunk.capacity();
    }
    Chunk[] chunks = Arrays.copyOf(scratch, count);
    // Or they could not be collected while the connection is idle.
    Arrays.fill(scratch, 0, count, null);
    return chunks;
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
