package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.BlockReader;
import io.sluice.common.block.BlockHeader;
import java.nio.ByteBuffer;
import java.util.function.UnaryOperator;

/** A block as pushed. */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record HeapBlock(
    int partition,
    int mapIndex,
    long attemptId,
    int sequence,
    int flags,
    int rawLength,
    int recordCount,
    byte[] stored)
    implements BlockReader.Block {
  public boolean isLast() {
    return (flags & BlockHeader.LAST) != 0;
  }

  HeapBlock changed(UnaryOperator<byte[]> change) {
    return new HeapBlock(
        partition,
        mapIndex,
        attemptId,
        sequence,
        flags,
        rawLength,
        recordCount,
        change.apply(stored.clone()));
  }

  @Override
  public int codec() {
    return flags >>> 4;
  }

  @Override
  public boolean continues() {
    return (flags & BlockHeader.CONTINUES) != 0;
  }

  @Override
  public ByteBuffer payload() {
    return ByteBuffer.wrap(stored);
  }
}
