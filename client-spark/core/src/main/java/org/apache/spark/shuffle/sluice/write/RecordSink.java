package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Where serialised records go. Used by one thread. */
public interface RecordSink {
  /**
   * Appends a copy of a record; its length is kept as a big-endian four-byte prefix.
   *
   * @param base object or null, and offset, as Spark's {@code Platform} has them
   */
  void append(int partition, @Nullable Object base, long offset, int length) throws IOException;
}
