package io.sluice.client;

import java.util.Arrays;

/**
 * Pairs of a row and a column. Each row takes what is less: a bit for each column there could be,
 * or four bytes for each there is. So a row of 100,000 columns takes at most 12,500 bytes, and one
 * with ten of them 40. Immutable.
 *
 * <p>A list is always shorter than the bits of a row would be; by its length a row is known.
 */
final class PairTable {
  private final int width;
  private final int words;
  // Where each row begins, and where the last one ends.
  private final int[] starts;
  private final int[] data;

  private PairTable(Builder builder) {
    this.width = builder.width;
    this.words = builder.words;
    this.starts = Arrays.copyOf(builder.starts, builder.rows + 1);
    this.data = Arrays.copyOf(builder.data, builder.starts[builder.rows]);
  }

  /** A number for a pair that is there, from 0 on and another one for each; else -1. */
  long number(int row, int column) {
    if (column < 0 || column >= width) {
      return -1;
    }
    int start = starts[row];
    int end = starts[row + 1];
    if (end - start == words) {
      boolean there = (data[start + (column >>> 5)] & (1 << column)) != 0;
      return there ? ((long) start << 5) + column : -1;
    }
    int at = Arrays.binarySearch(data, start, end, column);
    return at < 0 ? -1 : (long) at << 5;
  }

  /** Above all numbers. An eighth of it is the bytes that the pairs take here. */
  long numbers() {
    return (long) data.length << 5;
  }

  /** The first column of a row from a given one on, or -1 if there is none. */
  int next(int row, int from) {
    int column = Math.max(0, from);
    if (column >= width) {
      return -1;
    }
    int start = starts[row];
    int end = starts[row + 1];
    if (end - start == words) {
      return nextBit(start, column);
    }
    int at = Arrays.binarySearch(data, start, end, column);
    at = at < 0 ? -at - 1 : at;
    return at < end ? data[at] : -1;
  }

  private int nextBit(int start, int column) {
    int word = column >>> 5;
    int bits = data[start + word] & (-1 << column);
    while (bits == 0) {
      word++;
      if (word == words) {
        return -1;
      }
      bits = data[start + word];
    }
    return (word << 5) + Integer.numberOfTrailingZeros(bits);
  }

  /** Takes row after row. Not thread-safe. */
  static final class Builder {
    private final int width;
    private final int words;
    private int rows;
    private int[] starts = new int[17];
    private int[] data = new int[16];

    // Columns of the row that is open: in any order, some perhaps twice.
    private int[] row = new int[16];
    private int count;

    Builder(int width) {
      this.width = width;
      this.words = (int) (((long) width + 31) >>> 5);
    }

    /** Adds a column to the row that is open. */
    void add(int column) {
      if (count == row.length) {
        row = Arrays.copyOf(row, count * 2);
      }
      row[count] = column;
      count++;
    }

    /** Ends a row, after which there is another one. */
    void endRow() {
      int distinct = sortRow();
      int start = starts[rows];
      int length = Math.min(distinct, words);
      int end = Math.addExact(start, length);
      if (end > data.length) {
        data = Arrays.copyOf(data, Math.max(end, data.length + (data.length >> 1)));
      }
      if (distinct < words) {
        System.arraycopy(row, 0, data, start, distinct);
      } else {
        Arrays.fill(data, start, end, 0);
        for (int i = 0; i < distinct; i++) {
          data[start + (row[i] >>> 5)] |= 1 << row[i];
        }
      }
      rows++;
      if (rows == starts.length) {
        starts = Arrays.copyOf(starts, rows * 2);
      }
      starts[rows] = end;
      count = 0;
    }

    /** Returns how many columns there are, each once, at the front of the row. */
    private int sortRow() {
      boolean ascending = true;
      for (int i = 1; i < count; i++) {
        ascending &= row[i - 1] < row[i];
      }
      if (ascending) {
        return count;
      }
      Arrays.sort(row, 0, count);
      int distinct = 1;
      for (int i = 1; i < count; i++) {
        if (row[i] != row[distinct - 1]) {
          row[distinct] = row[i];
          distinct++;
        }
      }
      return distinct;
    }

    /** What is in rows that were ended. */
    PairTable build() {
      return new PairTable(this);
    }
  }
}
