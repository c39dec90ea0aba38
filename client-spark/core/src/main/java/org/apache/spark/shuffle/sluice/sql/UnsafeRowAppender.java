package org.apache.spark.shuffle.sluice.sql;

import java.io.IOException;
import org.apache.spark.shuffle.sluice.write.RecordAppender;
import org.apache.spark.shuffle.sluice.write.RecordSink;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.jspecify.annotations.Nullable;

/** Copies rows as they are. */
final class UnsafeRowAppender implements RecordAppender<Object, Object> {
  private final @Nullable SQLMetric dataSize;
  private long bytes;

  /**
   * @param dataSize the exchange's metric of row bytes; null if it has none
   */
  UnsafeRowAppender(@Nullable SQLMetric dataSize) {
    this.dataSize = dataSize;
  }

  @Override
  public void append(RecordSink sink, int partition, Object key, Object value) throws IOException {
    UnsafeRow row = (UnsafeRow) value;
    int length = row.getSizeInBytes();
    sink.append(partition, row.getBaseObject(), row.getBaseOffset(), length);
    bytes += length;
  }

  @Override
  public boolean prefixIsData() {
    return true;
  }

  @Override
  public void finish() {
    if (dataSize != null) {
      dataSize.add(bytes);
      bytes = 0;
    }
  }

  @Override
  public void close() {}
}
