package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Places every shuffle on one server, each time as another generation, unless told otherwise. */
final class Coordinators implements ShufflePlacements {
  final List<Integer> asked = new ArrayList<>();
  final List<ShuffleKey> removed = new ArrayList<>();
  private final Map<Integer, ShuffleKey> placed = new HashMap<>();
  @Nullable SluiceException failure;
  @Nullable Duration patience;
  private int generation;

  @Override
  public FixedPlacement place(int shuffleId, int partitions) {
    asked.add(shuffleId);
    if (failure != null) {
      throw failure;
    }
    ShuffleKey key = new ShuffleKey(ApplicationId.of(1, 2), shuffleId, generation++);
    placed.put(shuffleId, key);
    return FixedPlacement.of(
        key,
        partitions,
        List.of(new PlacedServer(ServerId.of(0, 1), 1, "server", 1)),
        1,
        new int[partitions]);
  }

  @Override
  public FixedPlacement place(int shuffleId, int partitions, Duration atMost) {
    patience = atMost;
    return place(shuffleId, partitions);
  }

  @Override
  public void remove(int shuffleId, Collection<ServerId> servers) {
    ShuffleKey key = placed.remove(shuffleId);
    if (key != null) {
      removed.add(key);
    }
  }

  @Override
  public void close() {}
}
