package io.sluice.server.ingest;

import io.sluice.common.block.BlockHeader;
import io.sluice.server.lifecycle.ShuffleHandle;
import io.sluice.server.memory.Chunk;
import io.sluice.server.partition.LeasedBlocks;
import io.sluice.server.partition.PartitionBuffer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A connection's block on its way in, if there is one: it comes in parts, and each goes straight to
 * chunks that will be the block's own. Without chunks if it will be refused. One object for all
 * blocks of a connection. Owns the chunks until a partition has taken them over, or {@link
 * #release}. On the connection's event loop.
 */
final class PartialBlock implements Arrived {
  private static final int INITIAL_CHUNKS = 4;

  private final ByteBuffer header = ByteBuffer.allocate(BlockHeader.LENGTH);
  private @Nullable ShuffleHandle handle;
  private @Nullable Chunk[] chunks = new Chunk[INITIAL_CHUNKS];
  private int count;
  private long number;
  private long charge;
  private int length;
  // The chunk that is being filled, and how far it is.
  private int at;
  private int within;

  /** The header of another block has come; it is copied. */
  void begin(ShuffleHandle of, long blockNumber, long cost, ByteBuffer bytes, int offset) {
    if (handle != null) {
      throw new IllegalStateException("the block before has not ended");
    }
    handle = of;
    number = blockNumber;
    charge = cost;
    length = ConnectionChunks.length(bytes, offset);
    header.put(0, bytes, offset, BlockHeader.LENGTH);
    at = 0;
    within = 0;
  }

  /** Takes over a lease of memory to be filled after what it has. */
  void take(Chunk chunk) {
    if (count == chunks.length) {
      chunks = Arrays.copyOf(chunks, 2 * count);
    }
    chunks[count++] = chunk;
  }

  boolean hasMemory() {
    return count > 0;
  }

  /** Copies a part, unless the block has no memory. */
  void add(ByteBuffer bytes, int offset, int partLength) {
    int done = 0;
    while (done < partLength && hasMemory()) {
      if (within == chunks[at].capacity()) {
        at++;
        within = 0;
      }
      int part = Math.min(partLength - done, chunks[at].capacity() - within);
      chunks[at].put(within, bytes, offset + done, part);
      within += part;
      done += part;
    }
  }

  ShuffleHandle handle() {
    ShuffleHandle begun = handle;
    if (begun == null) {
      throw new IllegalStateException("no block was begun");
    }
    return begun;
  }

  ByteBuffer header() {
    return header;
  }

  /** The client's name for it. */
  long number() {
    return number;
  }

  /** Credit that it took, in bytes. */
  long charge() {
    return charge;
  }

  /** Header and payload, in bytes. */
  int length() {
    return length;
  }

  @Override
  public int partition() {
    return BlockHeader.partition(header, 0);
  }

  @Override
  public boolean store(PartitionBuffer in, @Nullable LeasedBlocks leases) {
    boolean stored = in.link(chunks, count, length, BlockHeader.mapIndex(header, 0), leases);
    if (stored) {
      forgetChunks();
    }
    return stored;
  }

  /** Ends the leases of a block that found no home. */
  void release() {
    Chunk.releaseAll(chunks, count);
    forgetChunks();
  }

  /** The block was stored or released; there is none until the next begins. */
  void end() {
    handle = null;
  }

  /** They are not kept from the collector while the connection is idle. */
  private void forgetChunks() {
    Arrays.fill(chunks, 0, count, null);
    count = 0;
  }
}
