package io.sluice.client.inventory;

import java.util.Arrays;

/**
 * The map attempts of one shuffle that a server has whole on its disks: every block that they sent
 * it. Immutable; 16 bytes for each.
 */
public final class StoredMaps {
  /** Nothing is known to be whole. */
  public static final StoredMaps NONE = new Builder().build();

  // Ordered by map.
  private final int[] maps;
  private final long[] attempts;
  private final int[] partitions;

  private StoredMaps(int[] maps, long[] attempts, int[] partitions) {
    this.maps = maps;
    this.attempts = attempts;
    this.partitions = partitions;
  }

  /** How many attempts there are. */
  public int size() {
    return maps.length;
  }

  /**
   * To how many partitions an attempt has sent this server blocks, all of which are there; 0 if any
   * of its blocks may be missing.
   */
  public int partitions(int map, long attempt) {
    int at = Arrays.binarySearch(maps, map);
    if (at < 0) {
      return 0;
    }
    while (at > 0 && maps[at - 1] == map) {
      at--;
    }
    for (; at < maps.length && maps[at] == map; at++) {
      if (attempts[at] == attempt) {
        return partitions[at];
      }
    }
    return 0;
  }

  @Override
  public String toString() {
    return size() + " map attempts";
  }

  /** Collects what a server says, map by map. Used by one thread. */
  public static final class Builder {
    private int[] maps = new int[0];
    private long[] attempts = new long[0];
    private int[] partitions = new int[0];
    private int size;

    /**
     * @return false if the map is below one that was added before, or nothing of it is there
     */
    public boolean add(int map, long attempt, int inPartitions) {
      if (map < lastMap() || map < 0 || inPartitions < 1) {
        return false;
      }
      if (size == maps.length) {
        int larger = Math.max(64, size * 2);
        maps = Arrays.copyOf(maps, larger);
        attempts = Arrays.copyOf(attempts, larger);
        partitions = Arrays.copyOf(partitions, larger);
      }
      maps[size] = map;
      attempts[size] = attempt;
      partitions[size] = inPartitions;
      size++;
      return true;
    }

    /** The highest map so far, 0 if there is none. */
    int lastMap() {
      return size == 0 ? 0 : maps[size - 1];
    }

    /** Forgets the attempts of the highest map: they are told once more. */
    void dropLastMap() {
      int last = lastMap();
      while (size > 0 && maps[size - 1] == last) {
        size--;
      }
    }

    int size() {
      return size;
    }

    /** Forgets what was added since there were so many. */
    void truncate(int toSize) {
      size = toSize;
    }

    public StoredMaps build() {
      return new StoredMaps(
          Arrays.copyOf(maps, size),
          Arrays.copyOf(attempts, size),
          Arrays.copyOf(partitions, size));
    }
  }
}
