package org.apache.spark.shuffle.sluice.read;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.ExpectedMaps;
import io.sluice.client.MissingBlocksException.MissingMap;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.sluice.handle.MapLocation;
import org.apache.spark.shuffle.sluice.store.ReadRange;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * The winning attempts of the maps a task reads, as Spark's map output tracker lists them: for each
 * the place it was registered under, and the partitions it has records for. Immutable.
 */
final class Winners {
  private final ExpectedMaps expected;
  private final List<BlockManagerId> locations;
  private final List<MissingMap> elsewhere;
  private final long bytes;

  private Winners(
      ExpectedMaps expected,
      List<BlockManagerId> locations,
      List<MissingMap> elsewhere,
      long bytes) {
    this.expected = expected;
    this.locations = locations;
    this.elsewhere = elsewhere;
    this.bytes = bytes;
  }

  /**
   * @param statuses what {@code MapOutputTracker.getMapSizesByExecutorId} answers; consumed. Each
   *     location of ours is one map's, since each map has its own; others have map after map.
   */
  static Winners of(
      Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> statuses,
      ReadRange range) {
    ArrayExpectedMaps.Builder expected =
        ArrayExpectedMaps.builder(range.firstPartition(), range.endPartition());
    List<BlockManagerId> locations = new ArrayList<>();
    List<MissingMap> elsewhere = new ArrayList<>();
    long bytes = 0;
    while (statuses.hasNext()) {
      Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> map = statuses.next();
      Iterator<Tuple3<BlockId, Object, Object>> blocks = map._2().iterator();
      boolean ours = MapLocation.isOurs(map._1());
      int position = -1;
      long attempt = -1;
      while (blocks.hasNext()) {
        Tuple3<BlockId, Object, Object> block = blocks.next();
        ShuffleBlockId id = (ShuffleBlockId) block._1();
        if (position < 0 || id.mapId() != attempt) {
          attempt = id.mapId();
          position = expected.add((Integer) block._3(), attempt);
          locations.add(map._1());
          if (ours) {
            expected.epochs(MapLocation.firstEpoch(map._1()), MapLocation.lastEpoch(map._1()));
          } else {
            elsewhere.add(new MissingMap((Integer) block._3(), attempt, id.reduceId()));
          }
        }
        expected.nonEmpty(position, id.reduceId());
        bytes += (Long) block._2();
      }
    }
    return new Winners(expected.build(), locations, elsewhere, bytes);
  }

  /**
   * Maps that Spark has in a place where Sluice puts nothing, since somebody else has changed it:
   * nobody can be asked for them.
   */
  List<MissingMap> elsewhere() {
    return elsewhere;
  }

  /** Whether no map has anything for the task. */
  boolean isEmpty() {
    return locations.isEmpty();
  }

  /** Bytes of all of it together, about: map statuses round, and give averages of many. */
  long bytes() {
    return bytes;
  }

  ExpectedMaps expected() {
    return expected;
  }

  /** Where Spark believes a map's output to be. */
  BlockManagerId location(int mapIndex) {
    return locations.get(expected.positionOf(mapIndex));
  }
}
