package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;

/** Serialises one record into pages. Used by one thread. */
public interface RecordAppender<K, V> {
  void append(RecordSink sink, int partition, K key, V value) throws IOException;

  /** Whether a record's length is part of what readers expect, see {@link RecordSink}. */
  boolean prefixIsData();

  /** After the last record: the moment to settle metrics. */
  void finish();
}
