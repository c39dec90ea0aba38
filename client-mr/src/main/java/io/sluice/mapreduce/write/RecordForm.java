package io.sluice.mapreduce.write;

import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapred.JobConf;

/** How a job's map output records become bytes, in one place after the other. */
final class RecordForm<K, V> {
  private final Class<?> keyClass;
  private final Class<?> valueClass;
  private final Serializer<K> keys;
  private final Serializer<V> values;

  /**
   * @param target where bytes go
   */
  @SuppressWarnings("unchecked") // The job's configuration says what its records are.
  RecordForm(JobConf job, OutputStream target) throws IOException {
    keyClass = job.getMapOutputKeyClass();
    valueClass = job.getMapOutputValueClass();
    SerializationFactory factory = new SerializationFactory(job);
    keys = (Serializer<K>) serializer(factory, keyClass);
    values = (Serializer<V>) serializer(factory, valueClass);
    keys.open(target);
    values.open(target);
  }

  private static Serializer<?> serializer(SerializationFactory factory, Class<?> type)
      throws IOException {
    Serializer<?> serializer = factory.getSerializer(type);
    if (serializer == null) {
      throw new IOException("io.serializations has no serializer for " + type.getName());
    }
    return serializer;
  }

  /** Refuses records of other classes than the job has declared. */
  void check(K key, V value) throws IOException {
    if (key.getClass() != keyClass) {
      throw mismatch("key", keyClass, key);
    }
    if (value.getClass() != valueClass) {
      throw mismatch("value", valueClass, value);
    }
  }

  private static IOException mismatch(String what, Class<?> declared, Object given) {
    return new IOException(
        "Type mismatch in "
            + what
            + " from map: expected "
            + declared.getName()
            + ", received "
            + given.getClass().getName());
  }

  void writeKey(K key) throws IOException {
    keys.serialize(key);
  }

  void writeValue(V value) throws IOException {
    values.serialize(value);
  }
}
