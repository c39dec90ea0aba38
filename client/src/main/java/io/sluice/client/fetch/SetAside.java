package io.sluice.client.fetch;

import io.sluice.client.ExpectedMaps;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/**
 * What has come of records that are longer than a block and was dropped for want of room, to be
 * asked for again: only whole records. On the task's thread.
 */
final class SetAside {
  // By partition, and then by map, which is the order of the keys.
  private final TreeMap<Long, SetAsideMap> maps = new TreeMap<>();

  /** Takes note of a block that has come and is dropped. */
  void add(int partition, int mapIndex, int sequence, int length, boolean continues) {
    maps.computeIfAbsent(key(partition, mapIndex), key -> new SetAsideMap(partition, mapIndex))
        .add(sequence, length, continues);
  }

  private static long key(int partition, int mapIndex) {
    return ((long) partition << 32) | mapIndex;
  }

  boolean isAny() {
    return !maps.isEmpty();
  }

  /** The first of them; there is one. */
  SetAsideMap first() {
    return maps.firstEntry().getValue();
  }

  /**
   * The first of them and those that come behind it, as long as all of their blocks take no more
   * than so many bytes and one request brings nothing but theirs: they are of one partition, and no
   * other map between them has anything there. There is one at least.
   *
   * @param expected of the whole read
   */
  List<SetAsideMap> next(long maxBytes, ExpectedMaps expected) {
    List<SetAsideMap> next = new ArrayList<>();
    SetAsideMap previous = first();
    long bytes = 0;
    for (SetAsideMap map : maps.values()) {
      bytes += map.bytes();
      if (map != previous
          && (bytes > maxBytes
              || map.partition() != previous.partition()
              || isAnyBetween(previous, map, expected))) {
        break;
      }
      next.add(map);
      previous = map;
    }
    return next;
  }

  private static boolean isAnyBetween(
      SetAsideMap first, SetAsideMap second, ExpectedMaps expected) {
    for (int map = first.mapIndex() + 1; map < second.mapIndex(); map++) {
      int position = expected.positionOf(map);
      if (position >= 0 && expected.nonEmpty(position, first.partition())) {
        return true;
      }
    }
    return false;
  }

  /** They are asked for: what of them is dropped once more is set aside anew. */
  void remove(List<SetAsideMap> asked) {
    asked.forEach(map -> maps.remove(key(map.partition(), map.mapIndex())));
  }

  /** Nothing is asked for any more. */
  void clear() {
    maps.clear();
  }
}
