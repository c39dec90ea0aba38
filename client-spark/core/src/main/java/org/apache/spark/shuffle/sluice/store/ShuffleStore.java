package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.BlockReader;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.MapOutput;
import io.sluice.client.ReaderMemory;
import io.sluice.client.ShufflePlacement;

/**
 * Where tasks push blocks to and read them from: the shuffle servers, or a stand-in. One per
 * process, shared by its tasks; thread-safe.
 */
public interface ShuffleStore extends AutoCloseable {
  /** The output of one map attempt; the caller closes it. */
  MapOutput openMapOutput(ShufflePlacement placement, int mapIndex, long attemptId);

  /**
   * The blocks of a range; requests leave at once. The caller closes the reader.
   *
   * @param memory that the reader's is counted with
   */
  BlockReader read(
      ShufflePlacement placement, ReadRange range, ExpectedMaps expected, ReaderMemory memory);

  /** Ends connections; outputs and readers still open fail. */
  @Override
  void close();
}
