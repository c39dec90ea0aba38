package org.apache.spark.shuffle.sluice.sql;

import java.io.ByteArrayInputStream;
import java.lang.reflect.Field;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.write.RecordAppender;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.jspecify.annotations.Nullable;
import scala.Tuple2;

/**
 * Spark SQL's rows as its {@code UnsafeRowSerializer} writes them: a big-endian length and the
 * row's bytes, the key left out. Rows are copied to pages and read from blocks without its streams.
 */
public final class UnsafeRowFormat {
  private static final String SERIALIZER = "org.apache.spark.sql.execution.UnsafeRowSerializer";

  private UnsafeRowFormat() {}

  /** Whether a serializer is exactly the one whose bytes this class knows. */
  public static boolean isFormatOf(Serializer serializer) {
    return serializer.getClass().getName().equals(SERIALIZER);
  }

  /**
   * An appender of rows, or null if the serializer's "data size" metric, which adaptive execution
   * plans by, cannot be reached; then its own stream must be used.
   */
  public static @Nullable RecordAppender<Object, Object> appender(Serializer serializer) {
    try {
      Field dataSize = serializer.getClass().getDeclaredField("dataSize");
      dataSize.setAccessible(true);
      return new UnsafeRowAppender((SQLMetric) dataSize.get(serializer));
    } catch (ReflectiveOperationException | RuntimeException e) {
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
