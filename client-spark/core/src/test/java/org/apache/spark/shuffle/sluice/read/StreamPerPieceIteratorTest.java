package org.apache.spark.shuffle.sluice.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sluice.common.block.BlockHeader;
import java.io.ByteArrayOutputStream;
import java.io.StreamCorruptedException;
import java.util.NoSuchElementException;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.SerializerInstance;
import org.apache.spark.shuffle.sluice.failure.WentOnException;
import org.apache.spark.shuffle.sluice.store.HeapBlock;
import org.junit.jupiter.api.Test;
import scala.Tuple2;
import scala.reflect.ClassTag$;

/** With Java's serialisation, whose streams begin with a header. */
class StreamPerPieceIteratorTest {
  private final SerializerInstance serializer =
      new JavaSerializer(new SparkConf(false)).newInstance();

  @Test
  void goesFromPieceToPiece() {
    StreamPerPieceIterator records =
        records(piece(0, stream("one")), piece(1, stream()), piece(2, stream("two")));

    assertThat(records.next()).isEqualTo(new Tuple2<>("one", 3));
    assertThat(records.next()).isEqualTo(new Tuple2<>("two", 3));
    assertThat(records.hasNext()).isFalse();
    assertThat(records.hasNext()).isFalse();
    assertThatThrownBy(records::next).isInstanceOf(NoSuchElementException.class);
  }

  /** A function of the user's may catch what it gets instead of a row, and ask for the next one. */
  @Test
  void whoReadsOnBehindAStreamThatCouldNotBeOpenedGetsNoRowOfTheNext() {
    StreamPerPieceIterator records =
        records(
            piece(0, stream("one")),
            piece(1, "no header".getBytes(UTF_8)),
            piece(2, stream("two")));
    assertThat(records.next()).isEqualTo(new Tuple2<>("one", 3));

    Throwable first = catchThrowable(records::hasNext);
    assertThat(first).isInstanceOf(StreamCorruptedException.class);

    assertThatThrownBy(records::hasNext).isInstanceOf(WentOnException.class).hasCause(first);
    assertThatThrownBy(records::next).isInstanceOf(WentOnException.class).hasCause(first);
  }

  /** Nor is he told that there are no more, which would be as wrong. */
  @Test
  void whoReadsOnBehindTheLastStreamThatCouldNotBeOpenedIsNotAtTheEnd() {
    StreamPerPieceIterator records = records(piece(0, "no header".getBytes(UTF_8)));
    assertThat(catchThrowable(records::next)).isInstanceOf(StreamCorruptedException.class);

    assertThatThrownBy(records::hasNext).isInstanceOf(WentOnException.class);
  }

  private StreamPerPieceIterator records(HeapBlock... blocks) {
    return new StreamPerPieceIterator(Pieces.of(blocks), serializer);
  }

  private static HeapBlock piece(int map, byte[] bytes) {
    return Pieces.block(map, BlockHeader.LAST, bytes);
  }

  private byte[] stream(String... keys) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    SerializationStream stream = serializer.serializeStream(bytes);
    for (String key : keys) {
      stream.writeKey(key, ClassTag$.MODULE$.apply(String.class));
      stream.writeValue(key.length(), ClassTag$.MODULE$.apply(Integer.class));
    }
    stream.close();
    return bytes.toByteArray();
  }
}
