package io.sluice.client;

import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * The output of one map attempt on its way to the servers. Used by one thread. Blocks are written
 * in place into frame buffers, so a byte is touched once here: by whoever compresses it into {@link
 * #beginBlock}'s buffer.
 */
public interface MapOutput extends AutoCloseable {
  /**
   * Room for the payload of one block. Waits while too much of this map output is unacknowledged.
   *
   * @param maxStoredLength upper bound of the payload, at most {@link #maxBlockBytes()}
   * @return a direct big-endian buffer with position 0 and at least that limit; valid until {@link
   *     #endBlock} or {@link #cancelBlock}
   * @throws io.sluice.common.error.SluiceException if a server refused or lost a block for good
   */
  ByteBuffer beginBlock(int partition, int maxStoredLength) throws InterruptedException;

  /**
   * Completes the block begun last: numbers it, seals it with its CRC and lets it go.
   *
   * @param flags of {@link io.sluice.common.block.BlockHeader}: LAST where the caller knows it,
   *     codec
   */
  void endBlock(int storedLength, int rawLength, int recordCount, int flags);

  /** Drops the block begun last. */
  void cancelBlock();

  /** Sends what is buffered in half-full frames, without waiting for acknowledgements. */
  void flush();

  /**
   * Marks the end of every partition that got a block but no LAST flag, sends everything and waits
   * until every block is acknowledged.
   *
   * @throws io.sluice.common.error.SluiceException if any block could not be stored; the attempt
   *     must then fail
   */
  void finish() throws InterruptedException;

  /** Payload and header bytes pushed so far, by partition; a live array, do not modify. */
  long[] partitionLengths();

  /**
   * The newest epoch known when the output began. Each partition's blocks are in the newest epoch
   * up to this one that names it, or in one from here to {@link #lastEpoch}.
   */
  int firstEpoch();

  /** The newest epoch used so far; final after {@link #finish}. */
  int lastEpoch();

  /**
   * Whether servers have acknowledged blocks of this output that not every member of their replica
   * set need hold; see {@link Survivors}. Final after {@link #finish}.
   */
  boolean majorityEnough();

  /**
   * Where blocks of this output are: the positions in {@link ShufflePlacement#servers()}, of any
   * placement with {@link #lastEpoch}, of all members of the replica sets that acknowledged any.
   * Final after {@link #finish}.
   */
  BitSet storedOn();

  /** Nanoseconds that {@link #beginBlock} and {@link #finish} have waited. */
  long waitNanos();

  /** Largest payload a block may have, in bytes. */
  int maxBlockBytes();

  /** Abandons what was not finished; harmless after {@link #finish}. Never throws. */
  @Override
  void close();
}
