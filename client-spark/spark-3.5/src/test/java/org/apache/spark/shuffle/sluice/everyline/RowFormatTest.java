package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.sluice.read.Pieces;
import org.apache.spark.shuffle.sluice.read.RawBlocks;
import org.apache.spark.shuffle.sluice.sql.UnsafeRowFormat;
import org.apache.spark.shuffle.sluice.sql.UnsafeRowIterator;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.apache.spark.shuffle.sluice.write.RecordAppender;
import org.apache.spark.shuffle.sluice.write.RecordSink;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** Our rows are, byte for byte, those of Spark's own serializer, written and read. */
class RowFormatTest {
  private static final int FIELDS = 3;
  private static final ClassTag<Object> ANY = ClassTag$.MODULE$.Object();

  private final SQLMetric dataSize = new SQLMetric("size", 0);
  private final Serializer serializer = new UnsafeRowSerializer(FIELDS, dataSize);

  @Test
  void knowsSparksRowSerializerAndNoOther() {
    assertThat(UnsafeRowFormat.isFormatOf(serializer)).isTrue();
    assertThat(UnsafeRowFormat.isFormatOf(new JavaSerializer(new SparkConf(false)))).isFalse();
    assertThat(UnsafeRowFormat.numFields(serializer)).isEqualTo(FIELDS);
  }

  /**
   * Nothing fails where rows cannot be copied as they are: they go through a stream then, and tasks
   * are slower.
   */
  @Test
  void rowsOfAnExchangeAreCopiedAsTheyAre() {
    SparkSide.throughHeap(
        Map.of("spark.sql.adaptive.enabled", "false"),
        spark -> {
          Serializer ofExchange =
              Loss.dependencyOf(spark.range(0, 9, 1, 2).repartition(3).javaRDD().rdd())
                  .serializer();
          assertThat(UnsafeRowFormat.isFormatOf(ofExchange)).isTrue();
          RecordAppender<Object, Object> appender =
              Objects.requireNonNull(UnsafeRowFormat.appender(ofExchange));
          assertThat(appender.prefixIsData()).isTrue();
          return ofExchange;
        });
  }

  @Test
  void writesTheBytesThatSparkWrites() throws IOException {
    List<UnsafeRow> rows = rows(200);
    ByteArrayOutputStream ours = new ByteArrayOutputStream();
    RecordSink sink =
        (partition, base, offset, length) -> {
          byte[] bytes = new byte[length];
          Platform.copyMemory(base, offset, bytes, Platform.BYTE_ARRAY_OFFSET, length);
          ours.writeBytes(ByteBuffer.allocate(4).putInt(length).array());
          ours.writeBytes(bytes);
        };
    RecordAppender<Object, Object> appender =
        Objects.requireNonNull(UnsafeRowFormat.appender(serializer));
    for (UnsafeRow row : rows) {
      appender.append(sink, 0, 0, row);
    }

    assertThat(appender.prefixIsData()).isTrue();
    assertThat(ours.toByteArray()).isEqualTo(sparksBytes(rows));
  }

  @Test
  void countsRowBytesInTheExchangesDataSize() throws IOException {
    RecordAppender<Object, Object> appender =
        Objects.requireNonNull(UnsafeRowFormat.appender(serializer));
    List<UnsafeRow> rows = rows(50);
    for (UnsafeRow row : rows) {
      appender.append((partition, base, offset, length) -> {}, 0, 0, row);
    }
    appender.finish();
    appender.finish();

    assertThat(dataSize.value())
        .isEqualTo(rows.stream().mapToLong(UnsafeRow::getSizeInBytes).sum());
  }

  @Test
  void readsWhatSparkWrote() {
    List<UnsafeRow> rows = rows(200);
    RawBlocks blocks =
        Pieces.of(
            Pieces.block(0, 0, sparksBytes(rows.subList(0, 90))),
            Pieces.block(0, 0, sparksBytes(rows.subList(90, 91))),
            Pieces.block(1, 1, sparksBytes(rows.subList(91, 200))));
    UnsafeRowIterator iterator = new UnsafeRowIterator(blocks, serializer);

    List<UnsafeRow> read = new ArrayList<>();
    while (iterator.hasNext()) {
      Tuple2<Object, Object> record = iterator.next();
      assertThat(record._1()).isEqualTo(0);
      UnsafeRow row = (UnsafeRow) record._2();
      UnsafeRow before = row.copy();
      // Operators look ahead while they still use the row.
      boolean more = iterator.hasNext();
      assertThat(row).isEqualTo(before);
      assertThat(more).isEqualTo(read.size() + 1 < rows.size());
      read.add(before);
    }
    assertThat(read).isEqualTo(rows);
  }

  @Test
  void sparkReadsTheSameRowsFromTheSameBytes() {
    List<UnsafeRow> rows = rows(20);
    Iterator<Tuple2<Object, Object>> iterator =
        serializer
            .newInstance()
            .deserializeStream(new ByteArrayInputStream(sparksBytes(rows)))
            .asKeyValueIterator();
    for (UnsafeRow row : rows) {
      assertThat(iterator.next()._2()).isEqualTo(row);
    }
    assertThat(iterator.hasNext()).isFalse();
  }

  @Test
  void aLengthThatLiesHasTheMapOfThePieceRunAgain() {
    byte[] bytes = sparksBytes(rows(1));
    byte[] longer = bytes.clone();
    longer[3] = (byte) (longer[3] + 8);
    byte[] negative = bytes.clone();
    negative[0] = (byte) 0x80;
    for (byte[] bad : List.of(longer, negative, Arrays.copyOf(bytes, bytes.length + 2))) {
      HeapBlock block = Pieces.block(3, 1, bad);
      UnsafeRowIterator iterator = new UnsafeRowIterator(Pieces.of(block), serializer);
      assertThatThrownBy(
              () -> {
                iterator.next();
                iterator.next();
              })
          .isInstanceOf(FetchFailedException.class)
          .hasMessageContaining("partition 0, map 3, attempt 103, block 0")
          .hasMessageContaining("a row at ")
          .cause()
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CORRUPT_BLOCK));
    }
  }

  private static byte[] sparksBytes(List<UnsafeRow> rows) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SerializationStream stream =
        new UnsafeRowSerializer(FIELDS, null).newInstance().serializeStream(bytes);
    for (UnsafeRow row : rows) {
      stream.writeKey(0, ANY);
      stream.writeValue(row, ANY);
    }
    stream.flush();
    return bytes.toByteArray();
  }

  private static List<UnsafeRow> rows(int count) {
    List<UnsafeRow> rows = new ArrayList<>();
    UnsafeRowWriter writer = new UnsafeRowWriter(FIELDS);
    for (int i = 0; i < count; i++) {
      writer.reset();
      writer.zeroOutNullBytes();
      writer.write(0, i * 31L);
      if (i % 3 == 0) {
        writer.setNullAt(1);
      } else {
        writer.write(1, UTF8String.fromString("row ".repeat(i)));
      }
      writer.write(2, i / 7.0);
      rows.add(writer.getRow().copy());
    }
    return rows;
  }
}
