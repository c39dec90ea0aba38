package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.security.BlockDecryption;
import io.sluice.common.security.SealedBlock;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What blocks hold, decrypted if the application encrypts. Used by one thread. */
final class Payloads {
  private final @Nullable BlockDecryption decryption;
  private ByteBuffer opened = ByteBuffer.allocate(0);

  /**
   * @param decryption null where blocks are stored as they are
   */
  Payloads(@Nullable BlockDecryption decryption) {
    this.decryption = decryption;
  }

  /**
   * A block's bytes as its codec made them, from position to limit; valid until the next call.
   *
   * @throws SluiceException CORRUPT_BLOCK if they were not encrypted with this application's key
   */
  ByteBuffer of(BlockReader.Block block) {
    ByteBuffer stored = block.payload();
    if (decryption == null) {
      return stored;
    }
    if (block.rawLength() == 0 && !stored.hasRemaining()) {
      // Ends a partition, pushed by the client and not by the task: nothing is in it to encrypt.
      return stored;
    }
    int length = stored.remaining() - SealedBlock.OVERHEAD;
    if (length < 0) {
      throw new SluiceException(
          ErrorCode.CORRUPT_BLOCK,
          "a block of map " + block.mapIndex() + " is too short to be encrypted");
    }
    if (opened.capacity() < length) {
      opened = ByteBuffer.allocate(Math.max(length, 2 * opened.capacity()));
    }
    opened.clear();
    decryption.open(
        stored.duplicate(),
        opened,
        block.attemptId(),
        block.partition(),
        block.mapIndex(),
        block.rawLength(),
        block.codec());
    return opened.flip();
  }
}
