package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;
import io.sluice.client.ReaderMemory;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;
import org.apache.spark.shuffle.sluice.codec.BlockDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Decrypts and decompresses blocks and joins chains, so that each piece holds whole records. Two
 * buffers take turns: the piece before the current one stays intact, because Spark's operators may
 * use a row after they have asked whether there is another. Knows nothing of tasks. Used by one
 * thread at a time.
 */
final class PieceReader implements AutoCloseable {
  // What virtual machines allow for an array.
  private static final int MAX_ARRAY = Integer.MAX_VALUE - 8;

  // A buffer longer than this, which one long record needed, is not kept for the pieces behind it.
  private static final int MAX_KEPT = 4 << 20;

  private static final byte[] NOTHING = {};

  private final BlockReader reader;
  private final Payloads payloads;
  private final BlockDecoder decoder;
  private final ReaderMemory memory;
  private byte[] bytes = NOTHING;
  private byte[] spare = NOTHING;
  private int length;
  private long blocksRead;

  /**
   * @param reader closed with this
   * @param decoder closed with this
   * @param memory told of the buffers
   */
  PieceReader(BlockReader reader, Payloads payloads, BlockDecoder decoder, ReaderMemory memory) {
    this.reader = reader;
    this.payloads = payloads;
    this.decoder = decoder;
    this.memory = memory;
  }

  /**
   * The next piece, or null if there is none.
   *
   * @throws UnreadableBlockException if a block is not what its header says
   * @throws SluiceException as {@link BlockReader#next} does
   */
  @Nullable Piece next() throws InterruptedException {
    byte[] older = spare;
    spare = bytes;
    bytes = older;
    if (older.length > MAX_KEPT) {
      replaceBytes(NOTHING);
    }
    length = 0;
    BlockName first;
    do {
      BlockReader.Block block = reader.next();
      if (block == null) {
        return null;
      }
      first = BlockName.of(block);
      makeRoom(block, block.chainRawLength());
      append(block);
      while (block.continues()) {
        block = reader.next();
        if (block == null) {
          throw new SluiceException(
              ErrorCode.INTERNAL_ERROR, "the last block of a chain was not delivered");
        }
        append(block);
      }
    } while (length == 0);
    return new Piece(bytes, length, first);
  }

  /** Room for so many bytes behind what is there, exactly if that is much. */
  private void makeRoom(BlockReader.Block block, long more) {
    long end = length + more;
    if (end > MAX_ARRAY) {
      throw new SluiceException(
          ErrorCode.BLOCK_TOO_LARGE,
          "a record of map "
              + block.mapIndex()
              + " in partition "
              + block.partition()
              + " is longer than an array can be");
    }
    if (end > bytes.length) {
      // At least doubling, so that a chain of unknown length is copied O(1) times a byte.
      long doubled = length == 0 ? Math.min(MAX_KEPT, 2L * bytes.length) : 2L * bytes.length;
      int capacity = (int) Math.min(MAX_ARRAY, Math.max(end, doubled));
      replaceBytes(length == 0 ? new byte[capacity] : Arrays.copyOf(bytes, capacity));
    }
  }

  private void replaceBytes(byte[] replacement) {
    memory.held((long) replacement.length - bytes.length);
    bytes = replacement;
  }

  private void append(BlockReader.Block block) {
    makeRoom(block, block.rawLength());
    int end = length + block.rawLength();
    try {
      decoder.decode(block.codec(), payloads.of(block), bytes, length, block.rawLength());
    } catch (SluiceException e) {
      throw e.code().blame() == Blame.CORRUPTION
          ? new UnreadableBlockException(BlockName.of(block), e)
          : e;
    }
    length = end;
    blocksRead++;
  }

  /** Blocks decoded so far. */
  long blocksRead() {
    return blocksRead;
  }

  /** Bytes received so far, headers included. */
  long bytesRead() {
    return reader.bytesRead();
  }

  /** Nanoseconds that {@link #next} has waited for the network. */
  long waitNanos() {
    return reader.waitNanos();
  }

  /**
   * Drops what was not read and what it was read into. Pieces that were given out stay as they are.
   * Never throws.
   */
  @Override
  public void close() {
    reader.close();
    decoder.close();
    memory.held(-((long) bytes.length + spare.length));
    bytes = NOTHING;
    spare = NOTHING;
  }
}
