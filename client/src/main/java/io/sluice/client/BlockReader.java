package io.sluice.client;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of a range of partitions, as they arrive, verified: only of winning attempts, each once,
 * every CRC right. Used by one thread at a time. The servers have been asked when the reader is
 * there, and send ahead of {@link #next} as far as its credit goes.
 *
 * <p>Blocks come in any order, but a block with the CONTINUES flag is always followed at once by
 * the block its last record continues in.
 */
public interface BlockReader extends AutoCloseable {
  /**
   * The next block, or null when everything expected has been delivered. The block, its payload and
   * everything reached through them are valid until the next call.
   *
   * @throws MissingBlocksException if the servers have been asked and something is not there, or
   *     not intact: the engine has to recompute what it lists. What is not listed can be read, but
   *     need not have been delivered: once something is lost for certain, a reader only goes on to
   *     learn what else is
   * @throws io.sluice.common.error.SluiceException for failures that recomputing does not mend
   */
  @Nullable Block next() throws InterruptedException;

  /**
   * Whether {@link #poll} may have a block. A reader that cannot tell says no.
   *
   * @return false if it would have none
   */
  default boolean hasLanded() {
    return false;
  }

  /**
   * The next block if it is here already, as {@link #next} gives it; never waits. That there is
   * none does not mean that none is to come.
   *
   * @throws io.sluice.common.error.SluiceException for failures that recomputing does not mend
   */
  default @Nullable Block poll() {
    return null;
  }

  /** Bytes received so far, headers included. */
  long bytesRead();

  /** Nanoseconds that {@link #next} has waited for the network. */
  long waitNanos();

  /** Cancels what is under way and frees buffers. Never throws. */
  @Override
  void close();

  /** One verified block. */
  interface Block {
    int partition();

    int mapIndex();

    long attemptId();

    /** Number of the block among those of its attempt for its partition, from 0. */
    int sequence();

    /** Number of {@link io.sluice.common.block.BlockHeader#codec}. */
    int codec();

    /** Whether the last record goes on in the next block delivered. */
    boolean continues();

    int rawLength();

    /**
     * Raw bytes of this block and of all that it continues in, as far as the reader knows before
     * they are delivered: what whoever joins them needs room for. At least {@link #rawLength}.
     */
    default long chainRawLength() {
      return rawLength();
    }

    int recordCount();

    /** The stored bytes, from position to limit; direct or heap. */
    ByteBuffer payload();
  }
}
