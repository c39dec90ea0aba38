package io.sluice.mapreduce.write;

import java.io.OutputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.util.IndexedSortable;
import org.apache.hadoop.util.IndexedSorter;
import org.apache.hadoop.util.Progressable;

/**
 * Serialised records and what is known of them, in one array of fixed size: bytes grow from its
 * start, entries of 16 bytes from its end. So no record is copied for sorting, and the memory is
 * what it is said to be. Sorting swaps entries in place.
 */
final class SortBuffer implements IndexedSortable {
  /** Partition, start of key, start of value, end of value: four ints. */
  static final int ENTRY_BYTES = 16;

  private static final int KEY = 4;
  private static final int VALUE = 8;
  private static final int END = 12;
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final byte[] bytes;
  private final RawComparator<?> comparator;
  private final Sink sink = new Sink();
  private int end;
  private int count;

  // The record begun last.
  private int keyStart;
  private int valueStart;
  private boolean overflowed;

  /**
   * @param size bytes of the array, 64 at least
   */
  SortBuffer(int size, RawComparator<?> comparator) {
    this.bytes = new byte[size - size % ENTRY_BYTES];
    this.comparator = comparator;
  }

  /**
   * Where serializers write to. What there is no room for is dropped, and {@link #endRecord} says
   * so: a serializer that an exception interrupts may keep a part of the record and write it before
   * the next one.
   */
  OutputStream sink() {
    return sink;
  }

  void beginRecord() {
    keyStart = end;
    overflowed = false;
  }

  /** The record's key has been written to the sink. */
  void endKey() {
    valueStart = end;
  }

  /**
   * The record's value has been written to the sink.
   *
   * @return bytes of key and value; -1 if there is no room, and nothing of the record is kept
   */
  int endRecord(int partition) {
    int entry = entry(count);
    if (overflowed || entry < end) {
      end = keyStart;
      return -1;
    }
    INTS.set(bytes, entry, partition);
    INTS.set(bytes, entry + KEY, keyStart);
    INTS.set(bytes, entry + VALUE, valueStart);
    INTS.set(bytes, entry + END, end);
    count++;
    return end - keyStart;
  }

  int count() {
    return count;
  }

  /** Forgets all records. */
  void clear() {
    end = 0;
    count = 0;
  }

  /** Sorts all records by partition, and by key within. */
  void sort(IndexedSorter sorter, Progressable progress) {
    if (count > 1) { // Hadoop's sorters refuse to sort nothing.
      sorter.sort(this, 0, count, progress);
    }
  }

  byte[] bytes() {
    return bytes;
  }

  int partition(int record) {
    return (int) INTS.get(bytes, entry(record));
  }

  int keyStart(int record) {
    return (int) INTS.get(bytes, entry(record) + KEY);
  }

  int keyLength(int record) {
    return valueStart(record) - keyStart(record);
  }

  int valueStart(int record) {
    return (int) INTS.get(bytes, entry(record) + VALUE);
  }

  int valueLength(int record) {
    return (int) INTS.get(bytes, entry(record) + END) - valueStart(record);
  }

  private int entry(int record) {
    return bytes.length - (record + 1) * ENTRY_BYTES;
  }

  @Override
  public int compare(int one, int other) {
    int a = entry(one);
    int b = entry(other);
    int partitions = Integer.compare((int) INTS.get(bytes, a), (int) INTS.get(bytes, b));
    if (partitions != 0) {
      return partitions;
    }
    int keyA = (int) INTS.get(bytes, a + KEY);
    int keyB = (int) INTS.get(bytes, b + KEY);
    return comparator.compare(
        bytes,
        keyA,
        (int) INTS.get(bytes, a + VALUE) - keyA,
        bytes,
        keyB,
        (int) INTS.get(bytes, b + VALUE) - keyB);
  }

  @Override
  public void swap(int one, int other) {
    int a = entry(one);
    int b = entry(other);
    long low = (long) LONGS.get(bytes, a);
    long high = (long) LONGS.get(bytes, a + 8);
    LONGS.set(bytes, a, (long) LONGS.get(bytes, b));
    LONGS.set(bytes, a + 8, (long) LONGS.get(bytes, b + 8));
    LONGS.set(bytes, b, low);
    LONGS.set(bytes, b + 8, high);
  }

  private final class Sink extends OutputStream {
    @Override
    public void write(int b) {
      if (fits(1)) {
        bytes[end++] = (byte) b;
      }
    }

    @Override
    public void write(byte[] from, int offset, int length) {
      if (fits(length)) {
        System.arraycopy(from, offset, bytes, end, length);
        end += length;
      }
    }

    private boolean fits(int length) {
      overflowed |= length > entry(count) - end;
      return !overflowed;
    }
  }
}
