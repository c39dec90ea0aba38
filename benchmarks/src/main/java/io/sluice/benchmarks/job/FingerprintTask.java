package io.sluice.benchmarks.job;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.function.Function2;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Digests the rows of one partition. Runs in the executors, over Spark's internal rows, so that
 * what is timed is the shuffle and not a conversion; adds no shuffle of its own.
 */
final class FingerprintTask
    implements Function2<Integer, Iterator<InternalRow>, Iterator<PartitionDigest>> {
  private static final long serialVersionUID = 1;
  private static final long SEED = 42;

  private final StructType schema;
  private final boolean sorted;

  /** With {@code sorted}, the first column is binary and must ascend. */
  FingerprintTask(StructType schema, boolean sorted) {
    this.schema = schema;
    this.sorted = sorted;
  }

  @Override
  public Iterator<PartitionDigest> call(Integer partition, Iterator<InternalRow> rows) {
    UnsafeProjection projection = UnsafeProjection.create(schema);
    KeyOrder order = new KeyOrder();
    long count = 0;
    long sum = 0;
    long xor = 0;
    while (rows.hasNext()) {
      InternalRow next = rows.next();
      UnsafeRow row = next instanceof UnsafeRow unsafe ? unsafe : projection.apply(next);
      long hash =
          XXH64.hashUnsafeWords(
              row.getBaseObject(), row.getBaseOffset(), row.getSizeInBytes(), SEED);
      count++;
      sum += hash;
      xor ^= hash;
      if (sorted) {
        order.add(row.getBinary(0));
      }
    }
    return List.of(
            new PartitionDigest(
                partition, count, sum, xor, order.ascending, text(order.first), text(order.last)))
        .iterator();
  }

  private static @Nullable String text(byte @Nullable [] key) {
    return key == null ? null : new String(key, ISO_8859_1);
  }

  /** Follows the keys of one partition. */
  private static final class KeyOrder {
    private byte @Nullable [] first;
    private byte @Nullable [] last;
    private boolean ascending = true;

    void add(byte[] key) {
      if (last == null) {
        first = key;
      } else if (Arrays.compareUnsigned(last, key) > 0) {
        ascending = false;
      }
      last = key;
    }
  }
}
