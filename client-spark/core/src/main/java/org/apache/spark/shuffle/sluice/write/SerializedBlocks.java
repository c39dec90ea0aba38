package org.apache.spark.shuffle.sluice.write;

import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.serializer.SerializerInstance;
import org.jspecify.annotations.Nullable;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Serialises records, one partition after the other, into blocks that hold whole records. A
 * relocatable serializer's blocks are pieces of one long stream; any other's are each a complete
 * stream, so that blocks of many maps can be read one by one. Used by one thread.
 */
final class SerializedBlocks {
  private static final ClassTag<Object> ANY = ClassTag$.MODULE$.Object();

  private final SerializerInstance serializer;
  private final boolean relocatable;
  private final PushPipeline pipeline;
  private final SerializedBytes buffer = new SerializedBytes();
  private @Nullable SerializationStream stream;
  private int partition;
  private int records;

  SerializedBlocks(Serializer serializer, PushPipeline pipeline) {
    this.serializer = serializer.newInstance();
    this.relocatable = serializer.supportsRelocationOfSerializedObjects();
    this.pipeline = pipeline;
  }

  void begin(int nextPartition) {
    partition = nextPartition;
  }

  void write(Object key, Object value) throws IOException {
    if (buffer.size() >= pipeline.maxRawBytes() / 2) {
      push(0);
    }
    SerializationStream current = stream;
    if (current == null) {
      current = serializer.serializeStream(buffer);
      stream = current;
    }
    current.writeKey(key, ANY);
    current.writeValue(value, ANY);
    records++;
  }

  /**
   * Ends the partition.
   *
   * @param last whether the map has no more records of it
   */
  void end(boolean last) throws IOException {
    push(last ? BlockHeader.LAST : 0);
  }

  private void push(int lastFlag) throws IOException {
    completeStream();
    buffer.push(pipeline, partition, records, lastFlag);
    records = 0;
  }

  private void completeStream() {
    SerializationStream current = stream;
    if (current == null) {
      return;
    }
    if (relocatable) {
      current.flush();
    } else {
      stream = null;
      current.close();
    }
  }

  /** Drops what was not pushed. */
  void close() {
    SerializationStream unwanted = stream;
    stream = null;
    AbandonedStream.close(unwanted);
  }
}
