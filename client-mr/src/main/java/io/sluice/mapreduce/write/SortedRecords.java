package io.sluice.mapreduce.write;

import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/** A range of a sorted buffer, as combiners read it. */
final class SortedRecords implements RawKeyValueIterator {
  private final SortBuffer buffer;
  private final int end;
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();
  private int current;

  /** Records {@code [begin, end)}. */
  SortedRecords(SortBuffer buffer, int begin, int end) {
    this.buffer = buffer;
    this.end = end;
    this.current = begin - 1;
  }

  @Override
  public boolean next() {
    return ++current < end;
  }

  @Override
  public DataInputBuffer getKey() {
    key.reset(buffer.bytes(), buffer.keyStart(current), buffer.keyLength(current));
    return key;
  }

  @Override
  public DataInputBuffer getValue() {
    value.reset(buffer.bytes(), buffer.valueStart(current), buffer.valueLength(current));
    return value;
  }

  @Override
  public Progress getProgress() {
    return new Progress();
  }

  @Override
  public void close() {}
}
