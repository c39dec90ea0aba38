package io.sluice.mapreduce.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.serializer.Deserializer;
import org.apache.hadoop.io.serializer.JavaSerialization;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.util.QuickSort;
import org.junit.jupiter.api.Test;

class SortBufferPropertyTest {
  /** Whole keys, byte by byte. */
  private static final RawComparator<BytesWritable> BYTES =
      new RawComparator<>() {
        @Override
        public int compare(byte[] a, int aStart, int aLength, byte[] b, int bStart, int bLength) {
          return WritableComparator.compareBytes(a, aStart, aLength, b, bStart, bLength);
        }

        @Override
        public int compare(BytesWritable a, BytesWritable b) {
          return a.compareTo(b);
        }
      };

  private static void add(SortBuffer buffer, int partition, byte[] key, byte[] value)
      throws IOException {
    buffer.beginRecord();
    buffer.sink().write(key);
    buffer.endKey();
    buffer.sink().write(value);
    assertThat(buffer.endRecord(partition)).isEqualTo(key.length + value.length);
  }

  @Property(tries = 300)
  void recordsComeOutByPartitionAndKey(@ForAll @Size(max = 200) List<@Size(max = 12) byte[]> keys)
      throws IOException {
    SortBuffer buffer = new SortBuffer(1 << 16, BYTES);
    List<byte[]> expected = new ArrayList<>(keys);
    for (byte[] key : keys) {
      add(buffer, partition(key), key, new byte[] {(byte) key.length});
    }

    buffer.sort(new QuickSort(), () -> {});

    expected.sort(
        Comparator.<byte[]>comparingInt(SortBufferPropertyTest::partition)
            .thenComparing(Arrays::compareUnsigned));
    assertThat(buffer.count()).isEqualTo(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      int start = buffer.keyStart(i);
      assertThat(Arrays.copyOfRange(buffer.bytes(), start, start + buffer.keyLength(i)))
          .isEqualTo(expected.get(i));
      assertThat(buffer.partition(i)).isEqualTo(partition(expected.get(i)));
      assertThat(buffer.valueLength(i)).isEqualTo(1);
      assertThat(buffer.bytes()[buffer.valueStart(i)]).isEqualTo((byte) buffer.keyLength(i));
    }
  }

  private static int partition(byte[] key) {
    return key.length % 3;
  }

  @Test
  void takesAsMuchAsItsArrayHoldsAndNoByteMore() throws IOException {
    // Four records of 16 bytes and an entry each are 128 bytes.
    SortBuffer buffer = new SortBuffer(128, BYTES);
    for (int i = 0; i < 4; i++) {
      add(buffer, 0, new byte[8], new byte[8]);
    }

    buffer.beginRecord();
    assertThat(buffer.endRecord(0)).as("room for an entry").isNegative();
    buffer.beginRecord();
    buffer.sink().write(1);
    assertThat(buffer.endRecord(0)).as("room for a byte").isNegative();
    assertThat(buffer.count()).isEqualTo(4);
  }

  /** Java's own keeps what it could not write, and would write it before the next record. */
  @Test
  void aSerializerWithAStateIsNotDisturbedByRecordsThatDoNotFit() throws Exception {
    SortBuffer buffer = new SortBuffer(8 << 10, BYTES);
    Serializer<Serializable> serializer = new JavaSerialization().getSerializer(Serializable.class);
    serializer.open(buffer.sink());
    int full = 0;
    for (int length = 0; length < 12_000; length += 1_117) {
      String value = "x".repeat(length);
      if (!fits(buffer, serializer, value)) {
        full++;
        buffer.clear();
        if (!fits(buffer, serializer, value)) {
          continue; // larger than all of the buffer
        }
      }
      int last = buffer.count() - 1;
      Deserializer<Serializable> deserializer =
          new JavaSerialization().getDeserializer(Serializable.class);
      deserializer.open(
          new ByteArrayInputStream(buffer.bytes(), buffer.keyStart(last), buffer.keyLength(last)));
      assertThat(deserializer.deserialize(null)).isEqualTo(value);
      deserializer.close();
    }
    assertThat(full).isGreaterThan(4);
  }

  private static boolean fits(
      SortBuffer buffer, Serializer<Serializable> serializer, Serializable record)
      throws IOException {
    buffer.beginRecord();
    serializer.serialize(record);
    buffer.endKey();
    return buffer.endRecord(0) >= 0;
  }

  @Test
  void aRecordThatDidNotFitLeavesNothingBehind() throws IOException {
    SortBuffer buffer = new SortBuffer(128, BYTES);
    add(buffer, 0, new byte[] {2}, new byte[] {20});
    buffer.beginRecord();
    buffer.sink().write(new byte[] {1});
    buffer.sink().write(new byte[100]);
    buffer.sink().write(4);
    assertThat(buffer.endRecord(0)).isNegative();

    add(buffer, 0, new byte[] {3}, new byte[] {30});
    assertThat(buffer.count()).isEqualTo(2);
    assertThat(buffer.bytes()[buffer.keyStart(1)]).isEqualTo((byte) 3);
    buffer.clear();
    assertThat(buffer.count()).isZero();
    add(buffer, 0, new byte[30], new byte[30]);
    assertThat(buffer.keyStart(0)).isZero();
  }
}
