package io.sluice.mapreduce.write;

import io.sluice.mapreduce.block.BlockPacker;
import java.io.IOException;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.jspecify.annotations.Nullable;

/** The job's combiner, between a sorted buffer and blocks. */
final class Combining<K, V> implements OutputCollector<K, V> {
  /** Records between two signs of life. */
  private static final int RECORDS = 1 << 10;

  private final Task.CombinerRunner<K, V> combiner;
  private final BlockPacker packer;
  private final Task.TaskReporter reporter;
  private final Counters.Counter combined;
  private final DataOutputBuffer bytes = new DataOutputBuffer();
  private final RecordForm<K, V> form;
  private long written;

  private Combining(
      Task.CombinerRunner<K, V> combiner,
      BlockPacker packer,
      Task.TaskReporter reporter,
      JobConf job)
      throws IOException {
    this.combiner = combiner;
    this.packer = packer;
    this.reporter = reporter;
    this.combined = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
    this.form = new RecordForm<>(job, bytes);
  }

  /** The combiner that a job has, or null. */
  static <K, V> @Nullable Combining<K, V> of(
      JobConf job, TaskAttemptID task, Task.TaskReporter reporter, BlockPacker packer)
      throws IOException, ClassNotFoundException {
    Counters.Counter read = reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS);
    Task.CombinerRunner<K, V> combiner =
        Task.CombinerRunner.create(job, task, read, reporter, null);
    return combiner == null ? null : new Combining<>(combiner, packer, reporter, job);
  }

  /**
   * Combines records of one partition into its run.
   *
   * @return how many records were left
   */
  long combine(RawKeyValueIterator sorted)
      throws IOException, InterruptedException, ClassNotFoundException {
    written = 0;
    combiner.combine(sorted, this);
    return written;
  }

  @Override
  public void collect(K key, V value) throws IOException {
    form.check(key, value);
    bytes.reset();
    form.writeKey(key);
    int keyLength = bytes.getLength();
    form.writeValue(value);
    packer.append(
        bytes.getData(), 0, keyLength, bytes.getData(), keyLength, bytes.getLength() - keyLength);
    combined.increment(1);
    if (++written % RECORDS == 0) {
      reporter.progress();
    }
  }
}
