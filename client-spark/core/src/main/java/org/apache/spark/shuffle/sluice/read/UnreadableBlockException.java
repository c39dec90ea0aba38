package org.apache.spark.shuffle.sluice.read;

import io.sluice.common.error.SluiceException;

/** A block that came as it was sent, as its CRC says, and cannot be decrypted or decompressed. */
final class UnreadableBlockException extends SluiceException {
  private final BlockName block;

  UnreadableBlockException(BlockName block, SluiceException cause) {
    super(cause.code(), block + ": " + cause.detail(), cause);
    this.block = block;
  }

  BlockName block() {
    return block;
  }
}
