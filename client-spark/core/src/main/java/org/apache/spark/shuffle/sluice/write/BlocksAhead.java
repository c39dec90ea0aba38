package org.apache.spark.shuffle.sluice.write;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.apache.spark.shuffle.sluice.spare.SpareCores;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocks that are compressed while their task packs, and compresses, the next ones: those that left
 * the task's hands and are not in a frame yet, oldest first. There is none while no core is spare.
 *
 * <p>It costs what compressing straight into a frame does not: one more copy of the compressed
 * bytes, and for each block two buffers and a codec, which are kept until the task ends. So there
 * are at most {@value #MOST}, and none is made before a core is spare. Used by the task's thread.
 */
final class BlocksAhead implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlocksAhead.class);

  /** Enough that the task's thread and three cores each have one. */
  static final int MOST = 4;

  private final SpareCores cores;
  private final Supplier<BlockCodec> codecs;
  private final ScratchBuffers buffers;
  private final ArrayDeque<AheadBlock> blocks = new ArrayDeque<>(MOST);
  private final ArrayDeque<AheadBlock> unused = new ArrayDeque<>(MOST);
  private boolean full;

  /**
   * @param codecs makes codecs
   */
  BlocksAhead(SpareCores cores, Supplier<BlockCodec> codecs, ScratchBuffers buffers) {
    this.cores = cores;
    this.codecs = codecs;
    this.buffers = buffers;
  }

  /**
   * Takes a raw block, if a core is spare or others are before it; the caller then goes on to
   * {@link #compressNewest}.
   *
   * @param filled what it lies in, no longer the caller's if it was taken
   * @return another buffer, the caller's; null if the block was not taken
   */
  @Nullable ByteBuffer take(ByteBuffer filled, int partition, int length, int records, int flags) {
    if (blocks.isEmpty() && !cores.isAnySpare()) {
      return null;
    }
    AheadBlock block = unused.isEmpty() ? make() : unused.pop();
    if (block == null) {
      return null;
    }
    ByteBuffer other = block.fill(filled, partition, length, records, flags);
    blocks.add(block);
    return other;
  }

  /**
   * Has what was taken compressed, here if no core is spare any more; throws what the codec does.
   */
  void compressNewest() {
    blocks.getLast().begin(cores);
  }

  private @Nullable AheadBlock make() {
    if (full || blocks.size() == MOST) {
      return null;
    }
    ByteBuffer raw = null;
    ByteBuffer compressed = null;
    try {
      raw = buffers.borrow();
      compressed = buffers.borrow();
      return new AheadBlock(codecs.get(), buffers, raw, compressed);
    } catch (RuntimeException | Error e) {
      giveBack(raw);
      giveBack(compressed);
      if (!(e instanceof OutOfMemoryError)) {
        throw e;
      }
      // The task needs none of this. It does not ask again: the virtual machine takes long to say.
      full = true;
      LOG.debug("no memory to compress blocks on spare cores", e);
      return null;
    }
  }

  private void giveBack(@Nullable ByteBuffer buffer) {
    if (buffer != null) {
      buffers.giveBack(buffer);
    }
  }

  /** The oldest block, which stays; null if there is none. */
  @Nullable AheadBlock oldest() {
    return blocks.peek();
  }

  /** The oldest block is in a frame, and what it lay in can be used again. */
  void removeOldest() {
    unused.push(blocks.remove());
  }

  /** Drops blocks that are in no frame, once no core is at them. */
  @Override
  public void close() {
    blocks.forEach(AheadBlock::takeBack);
    while (!blocks.isEmpty()) {
      blocks.remove().close();
    }
    while (!unused.isEmpty()) {
      unused.pop().close();
    }
  }
}
