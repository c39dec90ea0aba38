package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.MissingBlocksException.MissingMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.storage.BlockManagerId;
import org.jspecify.annotations.Nullable;

/**
 * A map's output as it is registered with Spark. One of another attempt is another, as it has
 * another location. Immutable.
 */
final class RegisteredOutput {
  private final int map;
  private final BlockManagerId location;

  RegisteredOutput(int map, BlockManagerId location) {
    this.map = map;
    this.location = location;
  }

  /** Those that are at such locations. */
  static List<RegisteredOutput> at(Set<BlockManagerId> locations, MapStatus[] statuses) {
    List<RegisteredOutput> found = new ArrayList<>();
    for (int map = 0; map < statuses.length; map++) {
      MapStatus status = statuses[map];
      if (status != null && locations.contains(status.location())) {
        found.add(new RegisteredOutput(map, status.location()));
      }
    }
    return found;
  }

  /** Those that a reader misses, and that are still of the attempts that it misses. */
  static List<RegisteredOutput> of(List<MissingMap> missing, MapStatus[] statuses) {
    List<RegisteredOutput> found = new ArrayList<>();
    for (MissingMap one : missing) {
      MapStatus status = statusOf(one, statuses);
      if (status != null) {
        found.add(new RegisteredOutput(one.mapIndex(), status.location()));
      }
    }
    return found;
  }

  /** What is registered of such an attempt; null if that is nothing, or another attempt's. */
  static @Nullable MapStatus statusOf(MissingMap attempt, MapStatus[] statuses) {
    int map = attempt.mapIndex();
    MapStatus status = map >= 0 && map < statuses.length ? statuses[map] : null;
    return status != null && status.mapId() == attempt.attemptId() ? status : null;
  }

  int map() {
    return map;
  }

  BlockManagerId location() {
    return location;
  }

  /**
   * @param statuses of all maps, null where nothing is registered
   */
  boolean isAmong(MapStatus[] statuses) {
    MapStatus status = map < statuses.length ? statuses[map] : null;
    return status != null && status.location().equals(location);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RegisteredOutput
        && ((RegisteredOutput) other).map == map
        && ((RegisteredOutput) other).location.equals(location);
  }

  @Override
  public int hashCode() {
    return 31 * map + location.hashCode();
  }
}
