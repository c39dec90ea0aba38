package org.apache.spark.shuffle.sluice.write;

import io.sluice.client.MapOutput;
import io.sluice.common.block.BlockHeader;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import org.apache.spark.shuffle.sluice.codec.BlockCodec;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.jspecify.annotations.Nullable;

/**
 * Takes raw blocks and pushes them, compressed where that pays. The caller asks for room, writes
 * raw bytes at the address it gets, and closes the block. The room is the client's frame itself
 * when the block is to be stored as it is, else a scratch buffer that is compressed into the frame:
 * one copy, or one copy and one compression, per byte. Where blocks are encrypted it is always a
 * scratch buffer, and what was compressed is in a second one. Frames leave on the client's event
 * loops while this thread goes on; what bounds them is {@link MapOutput#beginBlock}.
 *
 * <p>While a core is spare, blocks are compressed there, and come into frames later: before
 * anything that was closed after them, and before {@link #flush} returns ({@link BlocksAhead}).
 *
 * <p>What fails here has failed for good. Spark may have records pushed while another operator of
 * the task asks for memory, and whoever called that, a function of the user's too, may catch what
 * comes of it and go on; then records that were pushed would be pushed once more with the others.
 */
final class PushPipeline implements AutoCloseable {
  private final MapOutput output;
  private final WriteProgress progress;
  private final @Nullable BlockCodec codec;
  private final @Nullable BlockSealer sealer;
  private final ScratchBuffers scratchBuffers;
  private final BlocksAhead ahead;
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
  // A block is open, or something of what was to be pushed failed.
  private boolean torn;
  // The first failure of pushing: whoever caught it and goes on is told which it was.
  private @Nullable Throwable failure;

  /**
   * @param output stays the caller's to finish and close
   * @param progress told of each block
   * @param codec closed with the pipeline; null to compress nothing
   * @param sealer null to encrypt nothing
   * @param ahead closed with the pipeline; of the same codec and the same buffers
   */
  PushPipeline(
      MapOutput output,
      WriteProgress progress,
      @Nullable BlockCodec codec,
      @Nullable BlockSealer sealer,
      ScratchBuffers scratchBuffers,
      BlocksAhead ahead) {
    this.output = output;
    this.progress = progress;
    this.codec = codec;
    this.sealer = sealer;
    this.scratchBuffers = scratchBuffers;
    this.ahead = ahead;
    this.maxRawBytes = maxRawBytes(output, codec, sealer != null, scratchBuffers);
  }

  private static int maxRawBytes(
      MapOutput output, @Nullable BlockCodec codec, boolean sealed, ScratchBuffers scratch) {
    int largest = output.maxBlockBytes() - (sealed ? BlockSealer.sealedLength(0) : 0);
    int raw = Math.min(scratch.bytes(), largest);
    if (codec != null) {
      // Expansion in the worst case must still fit the largest block, and a scratch buffer; it is
      // linear in the length.
      int expansion = codec.maxStoredLength(raw) - raw;
      raw = Math.min(raw, Math.min(scratch.capacity(), largest) - expansion);
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
   * Opens a block, unless the task was killed.
   *
   * @param rawLength upper bound of its raw bytes, at most {@link #maxRawBytes()}
   * @return where to write them; good until the block is closed
   */
  long open(int partition, int rawLength) throws InterruptedIOException {
    progress.blockBegins();
    tear();
    try {
      return openTorn(partition, rawLength);
    } catch (InterruptedIOException | RuntimeException | Error e) {
      remember(e);
      throw e;
    }
  }

  private long openTorn(int partition, int rawLength) throws InterruptedIOException {
    openPartition = partition;
    tryingCodec = codec != null && sampler.shouldTry();
    if (!tryingCodec && sealer == null) {
      pushAhead();
      ByteBuffer room = begin(partition, rawLength);
      frame = room;
      return DirectMemory.address(room);
    }
    frame = null;
    if (scratch == null) {
      packInto(scratchBuffers.borrow());
    }
    return scratchAddress;
  }

  /** From here until it is mended a failure is for good. */
  private void tear() {
    if (torn) {
      throw new WentOnException(
          "blocks of this attempt were pushed, and what the next one failed of was caught: to go on"
              + " would push records twice",
          failure);
    }
    torn = true;
  }

  private void remember(Throwable first) {
    if (failure == null) {
      failure = first;
    }
  }

  private void packInto(ByteBuffer buffer) {
    scratch = buffer;
    scratchAddress = DirectMemory.address(buffer);
  }

  /**
   * Closes the open block.
   *
   * @param flags LAST and CONTINUES, as {@link BlockHeader} has them
   */
  void close(int rawLength, int records, int flags) throws InterruptedIOException {
    try {
      closeOpen(rawLength, records, flags);
    } catch (InterruptedIOException | RuntimeException | Error e) {
      remember(e);
      throw e;
    }
    torn = false;
  }

  private void closeOpen(int rawLength, int records, int flags) throws InterruptedIOException {
    if (frame != null) {
      frame = null;
      end(rawLength, rawLength, records, flags);
      return;
    }
    ByteBuffer raw = scratch;
    if (raw == null) {
      throw new IllegalStateException("no block is open");
    }
    pushAheadWhatIsOver();
    if (tryingCodec && goesAhead(raw, rawLength, records, flags)) {
      pushAheadWhatIsOver();
      return;
    }
    pushAhead();
    BlockCodec by = tryingCodec ? codec : null;
    if (by != null && sealer == null) {
      compress(by, raw, rawLength, records, flags);
    } else {
      compressAndSeal(by, raw, rawLength, records, flags);
    }
  }

  /** Whether the block is not this thread's to push now. While few are tried, none is. */
  private boolean goesAhead(ByteBuffer raw, int rawLength, int records, int flags) {
    ByteBuffer other =
        sampler.isSampling() ? null : ahead.take(raw, openPartition, rawLength, records, flags);
    if (other == null) {
      return false;
    }
    packInto(other);
    ahead.compressNewest();
    return true;
  }

  private void pushAheadWhatIsOver() throws InterruptedIOException {
    for (AheadBlock next = ahead.oldest(); next != null && next.isOver(); next = ahead.oldest()) {
      push(next);
    }
  }

  private void pushAhead() throws InterruptedIOException {
    for (AheadBlock next = ahead.oldest(); next != null; next = ahead.oldest()) {
      push(next);
    }
  }

  private void push(AheadBlock block) throws InterruptedIOException {
    try {
      block.finish();
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    boolean smaller = sampler.isWorthwhile(block.rawLength(), block.compressedLength());
    store(
        smaller ? block.compressed() : block.raw(),
        smaller ? block.compressedLength() : block.rawLength(),
        smaller ? block.codec() : BlockCodec.NONE,
        block.partition(),
        block.rawLength(),
        block.records(),
        block.flags());
    ahead.removeOldest();
  }

  private void compress(BlockCodec by, ByteBuffer raw, int rawLength, int records, int flags)
      throws InterruptedIOException {
    ByteBuffer room = begin(openPartition, by.maxStoredLength(rawLength));
    int storedLength = by.compress(raw, rawLength, room);
    if (sampler.isWorthwhile(rawLength, storedLength)) {
      int codecFlags = BlockHeader.codecFlags(by.number());
      end(storedLength, rawLength, records, flags | codecFlags);
      return;
    }
    copy(raw, rawLength, room);
    end(rawLength, rawLength, records, flags);
  }

  private void compressAndSeal(
      @Nullable BlockCodec by, ByteBuffer raw, int rawLength, int records, int flags)
      throws InterruptedIOException {
    if (by != null) {
      ByteBuffer into = compressed == null ? scratchBuffers.borrow() : compressed;
      compressed = into;
      int length = by.compress(raw, rawLength, into);
      if (sampler.isWorthwhile(rawLength, length)) {
        store(into, length, by.number(), openPartition, rawLength, records, flags);
        return;
      }
    }
    store(raw, rawLength, BlockCodec.NONE, openPartition, rawLength, records, flags);
  }

  /** Pushes what is in a scratch buffer, encrypted if it is to be. */
  private void store(
      ByteBuffer plain, int length, int number, int partition, int raw, int records, int flags)
      throws InterruptedIOException {
    int storedLength = sealer == null ? length : BlockSealer.sealedLength(length);
    ByteBuffer room = begin(partition, storedLength);
    if (sealer == null) {
      copy(plain, length, room);
    } else {
      sealer.seal(plain, length, room, partition, raw, number);
    }
    end(storedLength, raw, records, flags | BlockHeader.codecFlags(number));
  }

  private static void copy(ByteBuffer plain, int length, ByteBuffer room) {
    plain.limit(length).position(0);
    room.put(plain);
    plain.clear();
  }

  private ByteBuffer begin(int partition, int maxStoredLength) throws InterruptedIOException {
    try {
      return output.beginBlock(partition, maxStoredLength);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private void end(int storedLength, int rawLength, int records, int flags) {
    output.endBlock(storedLength, rawLength, records, flags);
    progress.pushed(storedLength, records);
  }

  /** Keeps the interrupt for the thread's owner; Spark reads this exception as a kill. */
  static InterruptedIOException interrupted(InterruptedException cause) {
    Thread.currentThread().interrupt();
    InterruptedIOException wrapped = new InterruptedIOException("interrupted while pushing");
    wrapped.initCause(cause);
    return wrapped;
  }

  /** Sends everything that was closed, and what lies in half-full frames. */
  void flush() throws InterruptedIOException {
    tear();
    try {
      pushAhead();
      output.flush();
      progress.report();
    } catch (InterruptedIOException | RuntimeException | Error e) {
      remember(e);
      throw e;
    }
    torn = false;
  }

  @Override
  public void close() {
    ahead.close();
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
