package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import io.sluice.common.block.BlockHeader;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.jspecify.annotations.Nullable;

/**
 * Takes raw blocks and pushes them, compressed where that pays. The caller asks for room, writes
 * raw bytes at the address it gets, and closes the block. The room is the client's frame itself
 * when the block is to be stored as it is, else a scratch buffer that is compressed into the frame:
 * one copy, or one copy and one compression, per byte. Where blocks are encrypted it is always a
 * scratch buffer, and what was compressed is in a second one. Frames leave on the client's event
 * loops while this thread goes on; what bounds them is {@link MapOutput#beginBlock}.
 */
final class PushPipeline implements AutoCloseable {
  private final MapOutput output;
  private final @Nullable BlockCodec codec;
  private final @Nullable BlockSealer sealer;
  private final ScratchBuffers scratchBuffers;
  private final CompressionSampler sampler = new CompressionSampler();
  private final int maxRawBytes;

  private @Nullable ByteBuffer scratch;
  private long scratchAddress;
  // What was compressed and is to be encrypted.
  private @Nullable ByteBuffer compressed;
  private boolean tryingCodec;
  // The frame room of the open block; null while an open block is being gathered in scratch.
  private @Nullable ByteBuffer frame;
  private int openPartition;

  /**
   * @param output stays the caller's to finish and close
   * @param codec closed with the pipeline; null to compress nothing
   * @param sealer null to encrypt nothing
   */
  PushPipeline(
      MapOutput output,
      @Nullable BlockCodec codec,
      @Nullable BlockSealer sealer,
      ScratchBuffers scratchBuffers) {
    this.output = output;
    this.codec = codec;
    this.sealer = sealer;
    this.scratchBuffers = scratchBuffers;
    this.maxRawBytes = maxRawBytes(output, codec, sealer != null, scratchBuffers.bytes());
  }

  private static int maxRawBytes(
      MapOutput output, @Nullable BlockCodec codec, boolean sealed, int wanted) {
    int largest = output.maxBlockBytes() - (sealed ? BlockSealer.sealedLength(0) : 0);
    int raw = Math.min(wanted, largest);
    if (codec != null) {
      // Expansion in the worst case must still fit the largest block, and a scratch buffer if it is
      // to be encrypted from there; it is linear in the length.
      int expansion = codec.maxStoredLength(raw) - raw;
      raw = Math.min(raw, (sealed ? Math.min(wanted, largest) : largest) - expansion);
    }
    if (raw <= 0) {
      throw new IllegalArgumentException(
          "blocks of at most " + output.maxBlockBytes() + " bytes are too small to compress into");
    }
    return raw;
  }

  /** Largest raw block, in bytes. */
  int maxRawBytes() {
    return maxRawBytes;
  }

  /**
   * Opens a block.
   *
   * @param rawLength upper bound of its raw bytes, at most {@link #maxRawBytes()}
   * @return where to write them; good until the block is closed
   */
  long open(int partition, int rawLength) throws InterruptedIOException {
    openPartition = partition;
    tryingCodec = codec != null && sampler.shouldTry();
    if (!tryingCodec && sealer == null) {
      ByteBuffer room = begin(rawLength);
      frame = room;
      return DirectMemory.address(room);
    }
    frame = null;
    if (scratch == null) {
      scratch = scratchBuffers.borrow();
      scratchAddress = DirectMemory.address(scratch);
    }
    return scratchAddress;
  }

  /**
   * Closes the open block.
   *
   * @param flags LAST and CONTINUES, as {@link BlockHeader} has them
   */
  void close(int rawLength, int records, int flags) throws InterruptedIOException {
    if (frame != null) {
      frame = null;
      output.endBlock(rawLength, rawLength, records, flags);
    } else if (sealer == null) {
      compress(rawLength, records, flags);
    } else {
      seal(sealer, rawLength, records, flags);
    }
  }

  private void compress(int rawLength, int records, int flags) throws InterruptedIOException {
    BlockCodec by = codec;
    ByteBuffer raw = scratch;
    if (by == null || raw == null) {
      throw new IllegalStateException("no block is open");
    }
    ByteBuffer room = begin(by.maxStoredLength(rawLength));
    int storedLength = by.compress(raw, rawLength, room);
    if (sampler.isWorthwhile(rawLength, storedLength)) {
      int codecFlags = BlockHeader.codecFlags(by.number());
      output.endBlock(storedLength, rawLength, records, flags | codecFlags);
      return;
    }
    raw.limit(rawLength).position(0);
    room.put(raw);
    raw.clear();
    output.endBlock(rawLength, rawLength, records, flags);
  }

  private void seal(BlockSealer by, int rawLength, int records, int flags)
      throws InterruptedIOException {
    ByteBuffer plain = scratch;
    if (plain == null) {
      throw new IllegalStateException("no block is open");
    }
    int length = rawLength;
    int number = BlockCodec.NONE;
    if (tryingCodec && codec != null) {
      ByteBuffer into = compressed == null ? scratchBuffers.borrow() : compressed;
      compressed = into;
      int compressedLength = codec.compress(plain, rawLength, into);
      if (sampler.isWorthwhile(rawLength, compressedLength)) {
        plain = into;
        length = compressedLength;
        number = codec.number();
      }
    }
    int storedLength = BlockSealer.sealedLength(length);
    by.seal(plain, length, begin(storedLength), openPartition, rawLength, number);
    output.endBlock(storedLength, rawLength, records, flags | BlockHeader.codecFlags(number));
  }

  private ByteBuffer begin(int maxStoredLength) throws InterruptedIOException {
    try {
      return output.beginBlock(openPartition, maxStoredLength);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  /** Keeps the interrupt for the thread's owner; Spark reads this exception as a kill. */
  static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException wrapped = new InterruptedIOException("interrupted while pushing");
    wrapped.initCause(cause);
    return wrapped;
  }

  /** Sends what lies in half-full frames. */
  void flush() {
    output.flush();
  }

  @Override
  public void close() {
    if (scratch != null) {
      scratchBuffers.giveBack(scratch);
      scratch = null;
    }
    if (compressed != null) {
      scratchBuffers.giveBack(compressed);
      compressed = null;
    }
    if (codec != null) {
      codec.close();
    }
  }
}
