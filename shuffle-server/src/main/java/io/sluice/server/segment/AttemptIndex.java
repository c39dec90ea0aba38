package io.sluice.server.segment;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Numbers map attempts in the order in which they are met: open addressing over plain arrays, no
 * object for any of them. At most {@code max} are numbered; each takes 20 to 40 bytes. Confined to
 * one thread at a time.
 */
final class AttemptIndex {
  /** Of attempts that are not numbered, as there are too many. */
  static final int NONE = -1;

  private static final int INITIAL = 64;

  // Clients choose the keys; which of them collide is not theirs to know.
  private static final long SEED = new SplittableRandom().nextLong();

  private final int max;
  private int[] maps = new int[INITIAL];
  private long[] attempts = new long[INITIAL];
  // Number plus 1 of the attempt at a place, 0 where there is none; at most half are taken.
  private int[] places = new int[2 * INITIAL];
  private int size;
  private int last;

  /**
   * @param max attempts that are numbered, below 2^29
   */
  AttemptIndex(int max) {
    this.max = max;
  }

  void clear() {
    if (size > 0) {
      Arrays.fill(places, 0);
      size = 0;
      last = 0;
    }
  }

  int size() {
    return size;
  }

  /** Numbers that arrays beside this one need room for. */
  int capacity() {
    return maps.length;
  }

  int map(int number) {
    return maps[number];
  }

  long attempt(int number) {
    return attempts[number];
  }

  /** The number of an attempt, the next one if it is new; {@link #NONE} if there is none left. */
  int number(int map, long attempt) {
    // Blocks of one attempt follow each other.
    if (last < size && maps[last] == map && attempts[last] == attempt) {
      return last;
    }
    int place = find(map, attempt);
    int number = places[place] - 1;
    if (number < 0) {
      number = add(place, map, attempt);
    }
    if (number != NONE) {
      last = number;
    }
    return number;
  }

  private int find(int map, long attempt) {
    int mask = places.length - 1;
    int place = hash(map, attempt) & mask;
    int number = places[place] - 1;
    while (number >= 0 && (maps[number] != map || attempts[number] != attempt)) {
      place = (place + 1) & mask;
      number = places[place] - 1;
    }
    return place;
  }

  private static int hash(int map, long attempt) {
    long mixed = (attempt + SEED) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 32) ^ map) * 0xD6E8FEB86659FD93L;
    return (int) (mixed >>> 32);
  }

  private int add(int place, int map, long attempt) {
    if (size == max) {
      return NONE;
    }
    int free = place;
    if (size == maps.length) {
      grow();
      free = find(map, attempt);
    }
    maps[size] = map;
    attempts[size] = attempt;
    places[free] = ++size;
    return size - 1;
  }

  private void grow() {
    int larger = Math.min(2 * size, max);
    maps = Arrays.copyOf(maps, larger);
    attempts = Arrays.copyOf(attempts, larger);
    places = new int[4 * size];
    for (int number = 0; number < size; number++) {
      places[find(maps[number], attempts[number])] = number + 1;
    }
  }

  /** All numbers in the order of maps, then attempts. */
  int[] inOrder() {
    long[] keys = new long[size];
    for (int number = 0; number < size; number++) {
      keys[number] = (long) maps[number] << 32 | number;
    }
    Arrays.sort(keys);
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      order[i] = (int) keys[i];
    }
    orderWithinMaps(order);
    return order;
  }

  /** Most maps have one attempt, so what is left to do is next to nothing. */
  private void orderWithinMaps(int[] order) {
    int from = 0;
    while (from < order.length) {
      int to = from + 1;
      while (to < order.length && maps[order[to]] == maps[order[from]]) {
        to++;
      }
      if (to - from > 1) {
        orderMap(order, from, to);
      }
      from = to;
    }
  }

  private void orderMap(int[] order, int from, int to) {
    Integer[] sorted = new Integer[to - from];
    for (int i = from; i < to; i++) {
      sorted[i - from] = order[i];
    }
    Arrays.sort(sorted, (a, b) -> Long.compare(attempts[a], attempts[b]));
    for (int i = from; i < to; i++) {
      order[i] = sorted[i - from];
    }
  }
}
