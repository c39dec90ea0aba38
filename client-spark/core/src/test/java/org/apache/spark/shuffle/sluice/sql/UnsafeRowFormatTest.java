package org.apache.spark.shuffle.sluice.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.sluice.LoggedLines;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.junit.jupiter.api.Test;

/** What is told of a serializer that hides its metric; of rows as they are see RowFormatTest. */
class UnsafeRowFormatTest {
  @Test
  void saysOnceWhyRowsGoThroughStreams() {
    Serializer rows = new UnsafeRowSerializer(3, new SQLMetric("size", 0));
    Serializer strange = new JavaSerializer(new SparkConf(false));
    AtomicBoolean told = new AtomicBoolean();
    try (LoggedLines logged = LoggedLines.of(UnsafeRowFormat.class)) {
      assertThat(UnsafeRowFormat.appender(strange, told)).isNull();
      assertThat(UnsafeRowFormat.appender(strange, told)).isNull();
      assertThat(UnsafeRowFormat.appender(rows, told)).isNotNull();

      assertThat(logged.lines()).hasSize(1);
      assertThat(logged.lines().get(0)).contains("slower", "JavaSerializer", "dataSize");
    }
  }
}
