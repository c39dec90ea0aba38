package io.sluice.client;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Expected maps in arrays. Of each map as much as is less: a bit for each partition of a window, or
 * four bytes for each that it has records for. Immutable.
 */
public final class ArrayExpectedMaps implements ExpectedMaps {
  private final int firstPartition;
  private final int[] mapIndices;
  private final long[] attemptIds;
  private final PairTable nonEmpty;
  private final int firstEpoch;
  private final int lastEpoch;

  // mapIndex << 32 | position, ascending; null if positions follow map indices without a gap.
  private final long @Nullable [] byMapIndex;

  private ArrayExpectedMaps(Builder builder) {
    this.firstPartition = builder.firstPartition;
    this.mapIndices = Arrays.copyOf(builder.mapIndices, builder.size);
    this.attemptIds = Arrays.copyOf(builder.attemptIds, builder.size);
    this.nonEmpty = builder.nonEmpty.build();
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
  public long pair(int position, int partition) {
    return nonEmpty.number(position, partition - firstPartition);
  }

  @Override
  public long pairs() {
    return nonEmpty.numbers();
  }

  @Override
  public int nextNonEmpty(int position, int partition) {
    int column = nonEmpty.next(position, Math.max(0, partition - firstPartition));
    return column < 0 ? -1 : firstPartition + column;
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
    private final PairTable.Builder nonEmpty;
    private boolean isOpen;
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
      this.nonEmpty = new PairTable.Builder(width);
    }

    /**
     * Adds a map with its winning attempt, so far empty everywhere.
     *
     * @return its position, for {@link #nonEmpty} until another one is added
     */
    public int add(int mapIndex, long attemptId) {
      if (mapIndex < 0) {
        throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "map index " + mapIndex);
      }
      endMap();
      if (size == mapIndices.length) {
        mapIndices = Arrays.copyOf(mapIndices, size * 2);
        attemptIds = Arrays.copyOf(attemptIds, size * 2);
      }
      mapIndices[size] = mapIndex;
      attemptIds[size] = attemptId;
      size++;
      isOpen = true;
      return size - 1;
    }

    private void endMap() {
      if (isOpen) {
        nonEmpty.endRow();
        isOpen = false;
      }
    }

    /** Says that the map added last, which is at a position, has records for a partition. */
    public Builder nonEmpty(int position, int partition) {
      int column = partition - firstPartition;
      if (!isOpen || position != size - 1 || column < 0 || column >= width) {
        throw new SluiceException(
            ErrorCode.INVALID_ARGUMENT,
            "position " + position + ", partition " + partition + " are outside what was declared");
      }
      nonEmpty.add(column);
      return this;
    }

    /** Says which epochs a winner used, {@link MapOutput#firstEpoch} and the last one. */
    public Builder epochs(int first, int last) {
      firstEpoch = Math.min(firstEpoch, first);
      lastEpoch = Math.max(lastEpoch, last);
      return this;
    }

    /** What was added; nothing more can be said of the last map then. */
    public ArrayExpectedMaps build() {
      endMap();
      return new ArrayExpectedMaps(this);
    }
  }
}
