package io.sluice.mapreduce.block;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapred.IFile;

/** A run as Hadoop's merger reads it; keys and values are where they lie. Used by one thread. */
public final class RunReader<K, V> extends IFile.Reader<K, V> {
  private final Run run;
  private final DataInputBuffer in = new DataInputBuffer();
  private int next;

  public RunReader(Run run, Configuration conf) throws IOException {
    super(conf, null, run.bytes(), null, null);
    this.run = run;
  }

  @Override
  public boolean nextRawKey(DataInputBuffer key) throws IOException {
    while (in.getPosition() >= in.getLength()) {
      if (next == run.size()) {
        return false;
      }
      byte[] piece = run.piece(next++);
      in.reset(piece, BlockFormat.MARK_BYTES, piece.length - BlockFormat.MARK_BYTES);
    }
    int start = in.getPosition();
    currentKeyLength = WritableUtils.readVInt(in);
    currentValueLength = WritableUtils.readVInt(in);
    int at = in.getPosition();
    if (currentKeyLength < 0
        || currentValueLength < 0
        || (long) at + currentKeyLength + currentValueLength > in.getLength()) {
      throw new IOException(
          "record "
              + recNo
              + " of a run has lengths "
              + currentKeyLength
              + ", "
              + currentValueLength);
    }
    key.reset(in.getData(), at, currentKeyLength);
    skip(currentKeyLength);
    bytesRead += (long) at - start + currentKeyLength;
    return true;
  }

  @Override
  public void nextRawValue(DataInputBuffer value) throws IOException {
    value.reset(in.getData(), in.getPosition(), currentValueLength);
    skip(currentValueLength);
    bytesRead += currentValueLength;
    recNo++;
  }

  private void skip(int length) throws IOException {
    if (in.skipBytes(length) != length) {
      throw new IOException("a run ends within record " + recNo);
    }
  }

  @Override
  public long getPosition() {
    return bytesRead;
  }

  @Override
  public long getLength() {
    return run.bytes();
  }

  @Override
  public void close() {}
}
