package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;
import io.sluice.client.ReaderMemory;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.util.Arrays;
import org.apache.spark.shuffle.sluice.codec.BlockDecoder;
import org.jspecify.annotations.Nullable;

/**
 * Decrypts and decompresses blocks and joins chains, so that each piece holds whole records. Two
 * buffers take turns: the piece before the current one stays intact, because Spark's operators may
 * use a row after they have asked whether there is another. A piece that is {@link #prepare
 * prepared} while the current one is in use gets a third. Knows nothing of tasks. Used by one
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
  private final Clock clock;

  // What was decoded last and is given out, what was before, and what is neither.
  private byte[] current = NOTHING;
  private byte[] previous = NOTHING;
  private byte[] third = NOTHING;
  private @Nullable Piece prepared;

  // Taken from the reader, to be decoded next.
  private BlockReader.@Nullable Block pending;

  // Of the piece that is being decoded.
  private byte[] bytes = NOTHING;
  private int length;
  private long pieceNanos;

  private long blocksRead;
  private long decodeNanos;

  /**
   * @param reader closed with this
   * @param decoder closed with this
   * @param memory told of the buffers
   */
  PieceReader(
      BlockReader reader,
      Payloads payloads,
      BlockDecoder decoder,
      ReaderMemory memory,
      Clock clock) {
    this.reader = reader;
    this.payloads = payloads;
    this.decoder = decoder;
    this.memory = memory;
    this.clock = clock;
  }

  /**
   * The next piece, or null if there is none.
   *
   * @throws UnreadableBlockException if a block is not what its header says
   * @throws SluiceException as {@link BlockReader#next} does
   */
  @Nullable Piece next() throws InterruptedException {
    byte[] oldest = keptOf(previous);
    previous = current;
    Piece piece = prepared;
    if (piece != null) {
      prepared = null;
      current = third;
      third = oldest;
      return piece;
    }
    bytes = oldest;
    try {
      return decode(true);
    } finally {
      current = bytes;
    }
  }

  /** A buffer that was longer than is kept goes as soon as it is not used any more. */
  private byte[] keptOf(byte[] unused) {
    if (unused.length <= MAX_KEPT) {
      return unused;
    }
    memory.held(-unused.length);
    return NOTHING;
  }

  /**
   * Decodes what {@link #next} will give next, if it is here already; never waits. Long records are
   * left to {@link #next}: of those there is room for two on the heap, if that.
   */
  void prepare() {
    bytes = third;
    try {
      prepared = decode(false);
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted without waiting", e);
    } finally {
      third = bytes;
    }
  }

  /** Whether there may be something to {@link #prepare}. */
  boolean hasLanded() {
    return reader.hasLanded();
  }

  /** Into {@link #bytes}, which may be another buffer then. */
  private @Nullable Piece decode(boolean wait) throws InterruptedException {
    length = 0;
    pieceNanos = 0;
    BlockName first;
    do {
      BlockReader.Block block = take(wait);
      if (block == null) {
        return null;
      }
      if (!wait && block.chainRawLength() > MAX_KEPT) {
        pending = block;
        return null;
      }
      first = BlockName.of(block);
      makeRoom(block, block.chainRawLength());
      append(block);
      while (block.continues()) {
        // The rest of a chain is always here.
        block = reader.next();
        if (block == null) {
          throw new SluiceException(
              ErrorCode.INTERNAL_ERROR, "the last block of a chain was not delivered");
        }
        append(block);
      }
    } while (length == 0);
    // Of the last few: one that the collector interrupts says nothing.
    decodeNanos = decodeNanos == 0 ? pieceNanos : (3 * decodeNanos + pieceNanos) / 4;
    return new Piece(bytes, length, first);
  }

  private BlockReader.@Nullable Block take(boolean wait) throws InterruptedException {
    BlockReader.Block taken = pending;
    if (taken != null) {
      pending = null;
      return taken;
    }
    return wait ? reader.next() : reader.poll();
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
    long start = clock.nanoTime();
    try {
      decoder.decode(block.codec(), payloads.of(block), bytes, length, block.rawLength());
    } catch (SluiceException e) {
      throw e.code().blame() == Blame.CORRUPTION
          ? new UnreadableBlockException(BlockName.of(block), e)
          : e;
    }
    pieceNanos += clock.nanoTime() - start;
    length = end;
    blocksRead++;
  }

  /** Nanoseconds that a piece has taken of late to decrypt and decompress; 0 before the first. */
  long decodeNanos() {
    return decodeNanos;
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
    memory.held(-((long) current.length + previous.length + third.length));
    bytes = NOTHING;
    current = NOTHING;
    previous = NOTHING;
    third = NOTHING;
    prepared = null;
    pending = null;
  }
}
