package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.BlockReader;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.MapOutput;
import io.sluice.client.PlacedServer;
import io.sluice.client.ReaderMemory;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.common.id.ShuffleKey;
import java.util.concurrent.CompletionStage;

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

  /**
   * Which map outputs of a shuffle a server has whole on its disks: asked when it is back without
   * its memory. Does not block.
   *
   * @param server as it is now
   * @return fails with a SluiceException if it does not say; {@link StoredMaps#NONE} where nothing
   *     is kept on disks
   */
  CompletionStage<StoredMaps> storedMaps(PlacedServer server, ShuffleKey shuffle);

  /** Ends connections; outputs and readers still open fail. */
  @Override
  void close();
}
