package io.sluice.client;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Expected maps in arrays, with one bit for each (map, partition of a window). Immutable. */
public final class ArrayExpectedMaps implements ExpectedMaps {
  private final int firstPartition;
  private final int width;
  private final int[] mapIndices;
  private final long[] attemptIds;
  private final long[] nonEmpty;
  private final int firstEpoch;
  private final int lastEpoch;

  // mapIndex << 32 | position, ascending; null if positions follow map indices without a gap.
  private final long @Nullable [] byMapIndex;

  private ArrayExpectedMaps(Builder builder) {
    this.firstPartition = builder.firstPartition;
    this.width = builder.width;
    this.mapIndices = Arrays.copyOf(builder.mapIndices, builder.size);
    this.attemptIds = Arrays.copyOf(builder.attemptIds, builder.size);
    this.nonEmpty = builder.nonEmpty.clone();
    this.firstEpoch = builder.firstEpoch == Integer.MAX_VALUE ? 0 : builder.firstEpoch;
    this.lastEpoch = builder.lastEpoch;
    this.byMapIndex = isDense(mapIndices) ? null : sorted(mapIndices);
  }

  /** Collects what is expected of partitions {@code [firstPartition, endPartition)}. */
  public static Builder builder(int firstPartition, int endPartition) {
    return new Builder(firstPartition, endPartition);
  }

  private static boolean isDense(int[] mapIndices) {
    for (int i = 1; i < mapIndices.length; i++) {
      if (mapIndices[i] != mapIndices[0] + i) {
        return false;
      }
    }
    return true;
  }

  private static long[] sorted(int[] mapIndices) {
    long[] keys = new long[mapIndices.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = ((long) mapIndices[i] << 32) | i;
    }
    Arrays.sort(keys);
    for (int i = 1; i < keys.length; i++) {
      if (keys[i] >>> 32 == keys[i - 1] >>> 32) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT, "map " + (keys[i] >>> 32) + " is expected twice");
      }
    }
    return keys;
  }

  @Override
  public int size() {
    return mapIndices.length;
  }

  @Override
  public int mapIndex(int position) {
    return mapIndices[position];
  }

  @Override
  public long attemptId(int position) {
    return attemptIds[position];
  }

  @Override
  public int positionOf(int mapIndex) {
    if (mapIndices.length == 0 || mapIndex < 0) {
      return -1;
    }
    if (byMapIndex == null) {
      int position = mapIndex - mapIndices[0];
      return position >= 0 && position < mapIndices.length ? position : -1;
    }
    int at = Arrays.binarySearch(byMapIndex, (long) mapIndex << 32);
    at = at < 0 ? -at - 1 : at;
    return at < byMapIndex.length && byMapIndex[at] >>> 32 == mapIndex ? (int) byMapIndex[at] : -1;
  }

  @Override
  public boolean nonEmpty(int position, int partition) {
    int column = partition - firstPartition;
    if (column < 0 || column >= width) {
      return false;
    }
    long bit = (long) position * width + column;
    return (nonEmpty[(int) (bit >>> 6)] & (1L << bit)) != 0;
  }

  @Override
  public int firstEpoch() {
    return firstEpoch;
  }

  @Override
  public int lastEpoch() {
    return lastEpoch;
  }

  /** Collects maps in any order. Not thread-safe. */
  public static final class Builder {
    private final int firstPartition;
    private final int width;
    private int size;
    private int[] mapIndices = new int[16];
    private long[] attemptIds = new long[16];
    private long[] nonEmpty = new long[16];
    private int firstEpoch = Integer.MAX_VALUE;
    private int lastEpoch;

    private Builder(int firstPartition, int endPartition) {
      if (firstPartition < 0 || endPartition < firstPartition) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "partitions [" + firstPartition + ", " + endPartition + ") are no range");
      }
      this.firstPartition = firstPartition;
      this.width = endPartition - firstPartition;
    }

    /**
     * Adds a map with its winning attempt, so far empty everywhere.
     *
     * @return its position, for {@link #nonEmpty}
     */
    public int add(int mapIndex, long attemptId) {
      if (mapIndex < 0) {
        throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "map index " + mapIndex);
      }
      if (size == mapIndices.length) {
        mapIndices = Arrays.copyOf(mapIndices, size * 2);
        attemptIds = Arrays.copyOf(attemptIds, size * 2);
      }
      mapIndices[size] = mapIndex;
      attemptIds[size] = attemptId;
      size++;
      int words = Math.toIntExact(((long) size * width + 63) >>> 6);
      if (words > nonEmpty.length) {
        nonEmpty = Arrays.copyOf(nonEmpty, Math.max(words, nonEmpty.length * 2));
      }
      return size - 1;
    }

    /** Says that the map at a position has records for a partition of the window. */
    public Builder nonEmpty(int position, int partition) {
      int column = partition - firstPartition;
      if (position < 0 || position >= size || column < 0 || column >= width) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "position " + position + ", partition " + partition + " are outside what was declared");
      }
      long bit = (long) position * width + column;
      nonEmpty[(int) (bit >>> 6)] |= 1L << bit;
      return this;
    }

    /** Says which epochs a winner used, {@link MapOutput#firstEpoch} and the last one. */
    public Builder epochs(int first, int last) {
      firstEpoch = Math.min(firstEpoch, first);
      lastEpoch = Math.max(lastEpoch, last);
      return this;
    }

    public ArrayExpectedMaps build() {
      return new ArrayExpectedMaps(this);
    }
  }
}
