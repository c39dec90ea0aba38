package io.sluice.server.damage;

import io.sluice.server.segment.Extent;
import io.sluice.server.segment.UnitRange;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Units of one store of which an extent is damaged. Used by one thread at a time. */
final class DamagedUnits {
  // By segment, then by where they begin in it.
  private final Map<Long, TreeMap<Long, UnitRange>> segments = new HashMap<>();

  void add(long segment, UnitRange unit) {
    segments.computeIfAbsent(segment, key -> new TreeMap<>()).put(unit.start(), unit);
  }

  boolean isEmpty() {
    return segments.isEmpty();
  }

  void clear() {
    segments.clear();
  }

  /** Whether an extent of the store lies in one of them. */
  boolean contain(Extent extent) {
    TreeMap<Long, UnitRange> units = segments.get(extent.segment());
    Map.Entry<Long, UnitRange> before = units == null ? null : units.floorEntry(extent.offset());
    return before != null && before.getValue().contains(extent.offset());
  }
}
