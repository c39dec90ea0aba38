package org.apache.spark.shuffle.sluice.store;

import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.client.BlockReader;
import io.sluice.client.ClientConfig;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.MapOutput;
import io.sluice.client.PlacedServer;
import io.sluice.client.ReaderMemory;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.SluiceClient;
import io.sluice.client.TaskSignal;
import io.sluice.client.inventory.StoredMaps;
import io.sluice.client.placement.Placements;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.util.concurrent.CompletionStage;

/**
 * A {@link HeapShuffleStore} that is read by the readers of the real client: a server streams what
 * is in the heap, of each partition a block of each map in turn, as if the maps had run at the same
 * time.
 */
public final class StreamedHeapStore implements ShuffleStore {
  private final HeapShuffleStore heap;
  private final SluiceClient client;

  /**
   * @param longRecordBytes what readers may hold together of records that are longer than a block
   */
  public StreamedHeapStore(HeapShuffleStore heap, long longRecordBytes) {
    this.heap = heap;
    this.client =
        new SluiceClient(
            ClientConfig.builder().maxSpanningRecordBytes(longRecordBytes).build(),
            new HeapConnector(heap),
            Placements.fixed(),
            PooledByteBufAllocator.DEFAULT,
            TaskSignal.Factory.parking(),
            Clock.system());
  }

  @Override
  public MapOutput openMapOutput(ShufflePlacement placement, int mapIndex, long attemptId) {
    return heap.openMapOutput(placement, mapIndex, attemptId);
  }

  @Override
  public BlockReader read(
      ShufflePlacement placement, ReadRange range, ExpectedMaps expected, ReaderMemory memory) {
    return client.read(
        placement,
        range.firstPartition(),
        range.endPartition(),
        range.firstMap(),
        range.endMap(),
        expected,
        memory);
  }

  @Override
  public CompletionStage<StoredMaps> storedMaps(PlacedServer server, ShuffleKey shuffle) {
    return heap.storedMaps(server, shuffle);
  }

  @Override
  public void close() {
    client.close();
  }
}
