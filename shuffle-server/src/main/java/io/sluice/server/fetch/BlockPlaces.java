package io.sluice.server.fetch;

import io.sluice.server.partition.MapRange;
import io.sluice.server.partition.PartitionBuffer;
import io.sluice.server.partition.PartitionSnapshot;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.partition.StoredExtent;
import io.sluice.transport.DamagedBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where a block may lie, in words for a log. Takes the partition's lock for a moment. */
final class BlockPlaces {
  private static final int MAX_NAMED = 8;

  private BlockPlaces() {}

  static String of(DamagedBlock block, @Nullable Shuffle shuffle) {
    boolean named = block.partition() >= 0 && block.partition() < Shuffle.MAX_PARTITIONS;
    PartitionBuffer partition = shuffle == null || !named ? null : shuffle.find(block.partition());
    if (partition == null) {
      return "no place: the partition is not here";
    }
    PartitionSnapshot there = partition.snapshot(maps(block.mapIndex()));
    List<String> places = new ArrayList<>();
    if (!there.runs().isEmpty()) {
      places.add("memory");
    }
    there.extents().stream().limit(MAX_NAMED).map(StoredExtent::toString).forEach(places::add);
    if (there.extents().size() > MAX_NAMED) {
      places.add((there.extents().size() - MAX_NAMED) + " more extents");
    }
    return places.isEmpty() ? "no place: it is gone" : String.join(", ", places);
  }

  private static MapRange maps(int map) {
    return map < 0 || map == Integer.MAX_VALUE
        ? new MapRange(0, Integer.MAX_VALUE)
        : new MapRange(map, map + 1);
  }
}
