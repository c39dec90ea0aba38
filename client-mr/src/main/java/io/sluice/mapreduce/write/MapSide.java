package io.sluice.mapreduce.write;

import io.sluice.client.MapOutput;
import io.sluice.common.error.SluiceException;
import io.sluice.mapreduce.block.BlockCompressor;
import io.sluice.mapreduce.block.BlockPacker;
import io.sluice.mapreduce.config.JobMemory;
import io.sluice.mapreduce.config.MapReduceConfig;
import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.Task;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.IndexedSorter;
import org.apache.hadoop.util.QuickSort;
import org.apache.hadoop.util.ReflectionUtils;
import org.jspecify.annotations.Nullable;

/**
 * The records of one map attempt on their way to blocks. A full sort buffer is sorted, combined and
 * pushed before the map goes on; the network is busy meanwhile and afterwards.
 */
public final class MapSide<K, V> implements AutoCloseable {
  private final MapOutput output;
  private final int partitions;
  private final SortBuffer buffer;
  private final RecordForm<K, V> form;
  private final IndexedSorter sorter;
  private final BlockCompressor blocks;
  private final BlockPacker packer;
  private final @Nullable Combining<K, V> combining;
  private final Task.TaskReporter reporter;
  private final JobConf job;
  private final Counters.Counter outputRecords;
  private final Counters.Counter outputBytes;
  private final Counters.Counter materializedBytes;
  private final Counters.Counter spilledRecords;
  private boolean broken;

  private MapSide(MapOutputCollector.Context context, MapOutput output)
      throws IOException, ClassNotFoundException {
    this.job = context.getJobConf();
    this.reporter = context.getReporter();
    this.output = output;
    this.partitions = job.getNumReduceTasks();
    this.buffer = new SortBuffer(JobMemory.sortBytes(job), job.getOutputKeyComparator());
    this.form = new RecordForm<>(job, buffer.sink());
    this.sorter =
        ReflectionUtils.newInstance(
            job.getClass(MRJobConfig.MAP_SORT_CLASS, QuickSort.class, IndexedSorter.class), job);
    this.blocks = new BlockCompressor(output, codec(job), job, reporter);
    int blockBytes = Math.min(MapReduceConfig.of(job).blockBytes(), output.maxBlockBytes());
    this.packer = new BlockPacker(blocks, blockBytes);
    this.combining = Combining.of(job, context.getMapTask().getTaskID(), reporter, packer);
    this.outputRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
    this.outputBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
    this.materializedBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES);
    this.spilledRecords = reporter.getCounter(TaskCounter.SPILLED_RECORDS);
  }

  /**
   * The records of an attempt.
   *
   * @param output stays the caller's to close
   */
  public static <K, V> MapSide<K, V> open(MapOutputCollector.Context context, MapOutput output)
      throws IOException, ClassNotFoundException {
    return new MapSide<>(context, output);
  }

  private static @Nullable CompressionCodec codec(JobConf job) {
    return job.getCompressMapOutput()
        ? ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job)
        : null;
  }

  /** Takes a record of a partition. */
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    reporter.progress();
    form.check(key, value);
    if (partition < 0 || partition >= partitions) {
      throw new IOException("Illegal partition for " + key + " (" + partition + ")");
    }
    int bytes = tryAdd(key, value, partition);
    if (bytes < 0) {
      bytes = makeRoom(key, value, partition);
    }
    outputRecords.increment(1);
    outputBytes.increment(bytes);
  }

  private int makeRoom(K key, V value, int partition) throws IOException, InterruptedException {
    try {
      push(false);
      int bytes = tryAdd(key, value, partition);
      return bytes < 0 ? pushAlone(key, value, partition) : bytes;
    } catch (SluiceException e) {
      throw notStored(e);
    }
  }

  private static IOException notStored(SluiceException e) {
    return new IOException("the map output could not be stored: " + e.getMessage(), e);
  }

  /** Bytes of the record, or -1 if there is no room. */
  private int tryAdd(K key, V value, int partition) throws IOException {
    buffer.beginRecord();
    form.writeKey(key);
    buffer.endKey();
    form.writeValue(value);
    return buffer.endRecord(partition);
  }

  /** A record larger than the whole buffer, which is empty, is a run of its own. */
  private int pushAlone(K key, V value, int partition) throws IOException {
    DataOutputBuffer bytes = new DataOutputBuffer();
    RecordForm<K, V> apart = new RecordForm<>(job, bytes);
    apart.writeKey(key);
    int keyLength = bytes.getLength();
    apart.writeValue(value);
    int valueLength = bytes.getLength() - keyLength;
    broken = true;
    packer.beginRun(partition);
    packer.append(bytes.getData(), 0, keyLength, bytes.getData(), keyLength, valueLength);
    packer.endRun(false);
    broken = false;
    spilledRecords.increment(1);
    return bytes.getLength();
  }

  /**
   * Sorts and pushes what the buffer holds.
   *
   * @param last whether the map has no more records: then every partition is ended
   */
  private void push(boolean last) throws IOException, InterruptedException {
    if (broken) {
      // Hadoop flushes once more what has failed.
      throw new IOException("a part of the map output could not be pushed");
    }
    broken = true;
    buffer.sort(sorter, reporter);
    int next = 0;
    for (int partition = 0; partition < partitions; partition++) {
      int begin = next;
      while (next < buffer.count() && buffer.partition(next) == partition) {
        next++;
      }
      if (begin < next || last) {
        packer.beginRun(partition);
        spilledRecords.increment(pack(begin, next));
        packer.endRun(last);
      }
    }
    output.flush();
    buffer.clear();
    broken = false;
  }

  /** Packs records {@code [begin, end)} and says how many came out. */
  private long pack(int begin, int end) throws IOException, InterruptedException {
    if (combining != null && begin < end) {
      try {
        return combining.combine(new SortedRecords(buffer, begin, end));
      } catch (ClassNotFoundException e) {
        throw new IOException("the combiner's classes are not there", e);
      }
    }
    byte[] bytes = buffer.bytes();
    for (int record = begin; record < end; record++) {
      packer.append(
          bytes,
          buffer.keyStart(record),
          buffer.keyLength(record),
          bytes,
          buffer.valueStart(record),
          buffer.valueLength(record));
    }
    return (long) end - begin;
  }

  /**
   * Pushes the rest and waits until servers have all of it.
   *
   * @throws IOException if they do not: the attempt must fail
   */
  public void finish() throws IOException, InterruptedException {
    try {
      push(true);
      output.finish();
    } catch (SluiceException e) {
      throw notStored(e);
    }
    materializedBytes.increment(Arrays.stream(output.partitionLengths()).sum());
  }

  @Override
  public void close() {
    blocks.close();
  }
}
