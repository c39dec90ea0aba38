package org.apache.spark.shuffle.sluice.store;

import io.sluice.client.BlockReader;
import io.sluice.client.ClientConfig;
import io.sluice.client.ClientSecurity;
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
import java.util.concurrent.CompletionStage;

/**
 * The shuffle servers. A task that is killed waits for them no longer where Spark tells of kills,
 * as from 4.2 on; before that it ends with whatever wakes it next, see {@link KillableSignals}.
 */
public final class ServerStore implements ShuffleStore {
  private final SluiceClient client;

  private ServerStore(SluiceClient client) {
    this.client = client;
  }

  /**
   * Starts event loops; connections are made when first needed.
   *
   * @param security as whom, and how
   */
  public static ServerStore open(
      ClientConfig config, Placements placements, ClientSecurity security) {
    TaskSignal.Factory signals = new KillableSignals(TaskSignal.Factory.parking());
    return new ServerStore(SluiceClient.open(config, placements, security, signals));
  }

  @Override
  public MapOutput openMapOutput(ShufflePlacement placement, int mapIndex, long attemptId) {
    return client.openMapOutput(placement, mapIndex, attemptId);
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
    return client.storedMaps(server, shuffle);
  }

  @Override
  public void close() {
    client.close();
  }
}
