package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;

/** Serialises one record into pages. Used by one thread; closed by the map side that has it. */
public interface RecordAppender<K, V> extends AutoCloseable {
  void append(RecordSink sink, int partition, K key, V value) throws IOException;

  /** Whether a record's length is part of what readers expect, see {@link RecordSink}. */
  boolean prefixIsData();

  /** After the last record: the moment to settle metrics. */
  void finish();

  /**
   * Gives back what the serializer holds for its stream, whatever became of the records; harmless
   * when repeated. Of what the serializer throws only an Error comes through.
   */
  @Override
  void close();
}
