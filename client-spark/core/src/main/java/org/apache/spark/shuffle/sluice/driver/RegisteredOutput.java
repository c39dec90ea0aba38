package org.apache.spark.shuffle.sluice.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.spark.scheduler.MapStatus;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
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

  /** Those that a reader misses. */
  static List<RegisteredOutput> of(MissingMaps missing) {
    List<RegisteredOutput> all = new ArrayList<>();
    for (int i = 0; i < missing.count(); i++) {
      all.add(new RegisteredOutput(missing.mapIndex(i), missing.location(i)));
    }
    return all;
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
