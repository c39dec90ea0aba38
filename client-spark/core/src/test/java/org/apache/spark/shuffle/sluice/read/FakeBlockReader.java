package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.BlockReader;

/** What a reader that is made to be asked for blocks need not say. */
abstract class FakeBlockReader implements BlockReader {
  @Override
  public long bytesRead() {
    return 0;
  }

  @Override
  public long waitNanos() {
    return 0;
  }

  @Override
  public void close() {}
}
