package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import scala.Product2;
import scala.collection.Iterator;

/** How a map task's records become blocks. Used by the task's thread. */
interface MapSide<K, V> extends AutoCloseable {
  /** Pushes all records, in blocks; not yet acknowledged when this returns. */
  void write(Iterator<Product2<K, V>> records) throws IOException;

  /** Records given to {@link #write}, or what they were combined to. */
  long recordsWritten();

  /**
   * Gives back memory, buffers and files; after success and failure alike. Of what a serializer
   * throws on the way only an Error comes through, when all has been given back.
   */
  @Override
  void close();
}
