package org.apache.spark.shuffle.sluice.sql;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.write.RecordAppender;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Tuple2;

/**
 * Spark SQL's rows as its {@code UnsafeRowSerializer} writes them: a big-endian length and the
 * row's bytes, the key left out. Rows are copied to pages and read from blocks without its streams.
 */
public final class UnsafeRowFormat {
  private static final Logger LOG = LoggerFactory.getLogger(UnsafeRowFormat.class);

  private static final String SERIALIZER = "org.apache.spark.sql.execution.UnsafeRowSerializer";

  // Whatever hides the metric hides it from every task: that is told once a process.
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  private UnsafeRowFormat() {}

  /** Whether a serializer is exactly the one whose bytes this class knows. */
  public static boolean isFormatOf(Serializer serializer) {
    return serializer.getClass().getName().equals(SERIALIZER);
  }

  /**
   * An appender of rows, or null if the serializer's "data size" metric, which adaptive execution
   * plans by, cannot be reached; then its own stream must be used. The first time in a process that
   * is logged.
   */
  public static @Nullable RecordAppender<Object, Object> appender(Serializer serializer) {
    return appender(serializer, TOLD);
  }

  /**
   * @param told set once it was logged
   */
  static @Nullable RecordAppender<Object, Object> appender(
      Serializer serializer, AtomicBoolean told) {
    try {
      Field dataSize = serializer.getClass().getDeclaredField("dataSize");
      dataSize.setAccessible(true);
      return new UnsafeRowAppender((SQLMetric) dataSize.get(serializer));
    } catch (ReflectiveOperationException | RuntimeException e) {
      if (told.compareAndSet(false, true)) {
        LOG.warn(
            "Map tasks of Spark SQL are slower than they need be: each row is copied once more and"
                + " goes through a stream of {}, since its metric of data size is not to be had",
            serializer.getClass().getName(),
            e);
      }
      return null;
    }
  }

  /** How many fields the serializer's rows have, learned by reading an empty row with it. */
  public static int numFields(Serializer serializer) {
    ByteArrayInputStream emptyRow = new ByteArrayInputStream(new byte[Integer.BYTES]);
    Tuple2<?, ?> record =
        (Tuple2<?, ?>)
            serializer.newInstance().deserializeStream(emptyRow).asKeyValueIterator().next();
    return ((UnsafeRow) record._2()).numFields();
  }
}
