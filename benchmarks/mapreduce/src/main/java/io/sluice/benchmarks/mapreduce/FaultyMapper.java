package io.sluice.benchmarks.mapreduce;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskAttemptID;

/** A mapper whose first attempts can be told to fail, or to stall, half-way through. */
abstract class FaultyMapper<K, V> extends Mapper<LongWritable, NullWritable, K, V> {
  /** {@code fail}, {@code stall}, or nothing. */
  static final String FAULT = "sluice.bench.fault";

  /** Of three maps one is struck. */
  private static final int EACH = 3;

  @Override
  public void run(Context context) throws IOException, InterruptedException {
    String fault = context.getConfiguration().get(FAULT, "");
    TaskAttemptID attempt = context.getTaskAttemptID();
    boolean struck =
        !fault.isEmpty() && attempt.getId() == 0 && attempt.getTaskID().getId() % EACH == 0;
    setup(context);
    while (context.nextKeyValue()) {
      map(context.getCurrentKey(), context.getCurrentValue(), context);
      if (struck && context.getProgress() > 0.5) {
        strike(fault);
        struck = false;
      }
    }
    cleanup(context);
  }

  private static void strike(String fault) throws IOException, InterruptedException {
    if (fault.equals("fail")) {
      throw new IOException("struck down on purpose");
    }
    boolean never = new CountDownLatch(1).await(2, TimeUnit.MINUTES);
    if (never) {
      throw new AssertionError("nobody counts down");
    }
  }
}
