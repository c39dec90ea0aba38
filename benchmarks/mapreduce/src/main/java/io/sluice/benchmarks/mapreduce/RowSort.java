package io.sluice.benchmarks.mapreduce;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/**
 * Sorts rows that its maps make, without reading any files: of 100 bytes by their first ten, over
 * all partitions. Keys are random and so need no sampling; of the other bytes half are random, so
 * that a codec halves them.
 */
final class RowSort implements Workload {
  static final int KEY_BYTES = 10;
  static final int VALUE_BYTES = 90;
  static final String GROUP = "sluice";
  static final String CHECKSUM = "CHECKSUM";

  @Override
  public void configure(Job job) {
    job.setMapperClass(Rows.class);
    job.setReducerClass(Reducer.class);
    job.setPartitionerClass(ByFirstBytes.class);
    job.setOutputKeyClass(BytesWritable.class);
    job.setOutputValueClass(BytesWritable.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
  }

  /** A sum over rows that does not depend on their order. */
  static long checksum(byte[] key, byte[] value) {
    CRC32 crc = new CRC32();
    crc.update(key, 0, KEY_BYTES);
    crc.update(value, 0, VALUE_BYTES);
    return crc.getValue();
  }

  /** Makes rows. */
  public static final class Rows extends FaultyMapper<BytesWritable, BytesWritable> {
    private final byte[] key = new byte[KEY_BYTES];
    private final byte[] value = new byte[VALUE_BYTES];

    @Override
    protected void map(LongWritable row, NullWritable nothing, Context context)
        throws IOException, InterruptedException {
      ByteBuffer.wrap(key).putLong(Mix.of(2 * row.get())).putShort((short) row.get());
      ByteBuffer bytes = ByteBuffer.wrap(value);
      for (int i = 0; i < VALUE_BYTES / 16; i++) {
        bytes.putLong(Mix.of(row.get() ^ ((long) i << 48))).putLong(i);
      }
      Counter sum = context.getCounter(GROUP, CHECKSUM);
      sum.increment(checksum(key, value));
      context.write(new BytesWritable(key), new BytesWritable(value));
    }
  }

  /** Ranges of equal size. */
  public static final class ByFirstBytes extends Partitioner<BytesWritable, BytesWritable> {
    @Override
    public int getPartition(BytesWritable key, BytesWritable value, int partitions) {
      byte[] bytes = key.getBytes();
      int first = ((bytes[0] & 0xFF) << 8) | (bytes[1] & 0xFF);
      return (first * partitions) >>> 16;
    }
  }
}
