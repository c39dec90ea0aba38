package io.sluice.client.fetch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Puts the pieces of one partition's blocks together, each byte copied once. Blocks lie back to
 * back in one buffer after another; a block never straddles two. On the event loop only.
 *
 * <pre>
 *   0 … handedOver … start … write … capacity
 *   given away      whole    part of one block, which ends at blockEnd once its header is there
 * </pre>
 */
final class Landing {
  private static final int BUFFER_BYTES = 256 * 1024;

  private final ByteBufAllocator allocator;
  private final LandingStream stream;
  private @Nullable ByteBuf buffer;
  private @Nullable ByteBuffer bytes;
  private int handedOver;
  private int start;
  private int write;
  private int blockEnd = -1;
  private long blocks;

  Landing(ByteBufAllocator allocator, LandingStream stream) {
    this.allocator = allocator;
    this.stream = stream;
  }

  /** Whether a block has begun and not ended. */
  boolean hasPartial() {
    return write > start;
  }

  /** Bytes to come of the block under way; at least those of its header while that is not whole. */
  int partialNeeds() {
    return hasPartial() ? (blockEnd < 0 ? start + BlockHeader.LENGTH : blockEnd) - write : 0;
  }

  /** Whole blocks so far. */
  long blocks() {
    return blocks;
  }

  /**
   * Copies a piece in.
   *
   * @param out takes what a full buffer holds; the rest is got by {@link #handOver}
   * @return bytes by which whole blocks have grown
   * @throws SluiceException CORRUPT_BLOCK if a header cannot be that of a block of the partition
   */
  long append(
      int partition, ByteBuffer source, int offset, int length, Consumer<LandedBlocks> out) {
    long whole = 0;
    int at = offset;
    int end = offset + length;
    while (at < end) {
      if (blockEnd < 0) {
        at = readHeader(partition, source, at, end, out);
      }
      if (blockEnd >= 0) {
        int count = Math.min(end - at, blockEnd - write);
        copy(source, at, count);
        at += count;
        whole += endBlock();
      }
    }
    return whole;
  }

  /** Moves on if the block under way is whole; its length if so, else 0. */
  private int endBlock() {
    if (write < blockEnd) {
      return 0;
    }
    int length = write - start;
    start = write;
    blockEnd = -1;
    blocks++;
    return length;
  }

  /**
   * Sees to it that {@link #blockEnd} is known and the block fits, as far as the source reaches.
   *
   * @return where to go on in the source
   */
  private int readHeader(
      int partition, ByteBuffer source, int from, int end, Consumer<LandedBlocks> out) {
    if (write == start && end - from >= BlockHeader.LENGTH) {
      // The header lies in the source in one piece, and is copied together with the payload.
      int length = checkedLength(partition, source, from);
      ensureRoom(length, out);
      blockEnd = start + length;
      return from;
    }
    ensureRoom(BlockHeader.LENGTH, out);
    int count = Math.min(end - from, start + BlockHeader.LENGTH - write);
    copy(source, from, count);
    ByteBuffer target = bytes;
    if (target != null && write - start == BlockHeader.LENGTH) {
      int length = checkedLength(partition, target, start);
      ensureRoom(length, out);
      blockEnd = start + length;
    }
    return from + count;
  }

  /** Makes room for a block of such a length at {@link #start}. */
  private void ensureRoom(int length, Consumer<LandedBlocks> out) {
    ByteBuf old = buffer;
    if (old != null && start + length <= old.capacity()) {
      return;
    }
    LandedBlocks full = handOver();
    if (full != null) {
      out.accept(full);
    }
    int size = Math.max(BUFFER_BYTES, length);
    ByteBuf fresh = allocator.directBuffer(size, size);
    int partial = write - start;
    if (old != null) {
      fresh.setBytes(0, old, start, partial);
      old.release();
    }
    buffer = fresh;
    bytes = fresh.nioBuffer(0, size);
    handedOver = 0;
    start = 0;
    write = partial;
  }

  /** The whole blocks that were not handed over yet, or null if there are none. */
  @Nullable LandedBlocks handOver() {
    ByteBuf current = buffer;
    if (current == null || handedOver == start) {
      return null;
    }
    LandedBlocks landed = new LandedBlocks(current, handedOver, start, stream);
    handedOver = start;
    return landed;
  }

  /** Frees the buffer; what was handed over lives on. */
  void release() {
    ByteBuf current = buffer;
    buffer = null;
    bytes = null;
    if (current != null) {
      current.release();
    }
  }

  private static int checkedLength(int partition, ByteBuffer source, int offset) {
    BlockHeader.validate(source, offset, Integer.MAX_VALUE);
    if (BlockHeader.partition(source, offset) != partition
        || BlockHeader.storedLength(source, offset) > TransportLimits.MAX_BLOCK_BYTES) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BLOCK,
          "no block of partition " + partition + ": " + BlockHeader.describe(source, offset));
    }
    return BlockHeader.LENGTH + BlockHeader.storedLength(source, offset);
  }

  private void copy(ByteBuffer source, int offset, int count) {
    ByteBuffer target = bytes;
    if (target == null) {
      throw new IllegalStateException("no buffer to land in");
    }
    int position = source.position();
    int limit = source.limit();
    source.limit(offset + count).position(offset);
    target.position(write);
    target.put(source);
    source.limit(limit).position(position);
    write += count;
  }
}
