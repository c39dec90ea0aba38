package org.apache.spark.shuffle.sluice.write;

import java.io.IOException;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.unsafe.Platform;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Serialises through Spark's own stream, into a buffer that is copied to the page. Only for
 * serializers that support relocation of serialised objects.
 */
final class StreamAppender<K, V> implements RecordAppender<K, V> {
  private static final ClassTag<Object> ANY = ClassTag$.MODULE$.Object();

  private final SerializedBytes buffer = new SerializedBytes();
  private final SerializationStream stream;
  private boolean closed;

  StreamAppender(SerializerInstance serializer) {
    this.stream = serializer.serializeStream(buffer);
  }

  @Override
  public void append(RecordSink sink, int partition, K key, V value) throws IOException {
    buffer.reset();
    stream.writeKey(key, ANY);
    stream.writeValue(value, ANY);
    stream.flush();
    sink.append(partition, buffer.bytes(), Platform.BYTE_ARRAY_OFFSET, buffer.size());
  }

  @Override
  public boolean prefixIsData() {
    return false;
  }

  @Override
  public void finish() {}

  /**
   * Gives back what the serializer lent to its stream: one of its instances of Kryo, or memory that
   * the collector does not know. What a stream writes as it closes is no record.
   */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      AbandonedStream.close(stream);
    }
  }
}
