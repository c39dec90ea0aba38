package io.sluice.benchmarks.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** Row numbers, so many for each map: mappers make rows of them, the same in every run. */
public final class GeneratedInput extends InputFormat<LongWritable, NullWritable> {
  static final String ROWS = "sluice.bench.rows";
  static final String MAPS = "sluice.bench.maps";

  @Override
  public List<InputSplit> getSplits(JobContext job) {
    Configuration conf = job.getConfiguration();
    long rows = conf.getLong(ROWS, 0);
    int maps = conf.getInt(MAPS, 1);
    List<InputSplit> splits = new ArrayList<>();
    for (int map = 0; map < maps; map++) {
      splits.add(new Rows(rows * map / maps, rows * (map + 1) / maps));
    }
    return splits;
  }

  @Override
  public RecordReader<LongWritable, NullWritable> createRecordReader(
      InputSplit split, TaskAttemptContext context) {
    return new Numbers();
  }

  /** Row numbers {@code [first, end)}. */
  public static final class Rows extends InputSplit implements Writable {
    private long first;
    private long end;

    /** For Hadoop. */
    public Rows() {}

    Rows(long first, long end) {
      this.first = first;
      this.end = end;
    }

    @Override
    public long getLength() {
      return end - first;
    }

    @Override
    public String[] getLocations() {
      return new String[0];
    }

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeLong(first);
      out.writeLong(end);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      first = in.readLong();
      end = in.readLong();
    }
  }

  private static final class Numbers extends RecordReader<LongWritable, NullWritable> {
    private final LongWritable current = new LongWritable();
    private long first;
    private long end;
    private long next;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) {
      Rows rows = (Rows) split;
      first = rows.first;
      end = rows.end;
      next = first;
    }

    @Override
    public boolean nextKeyValue() {
      if (next >= end) {
        return false;
      }
      current.set(next++);
      return true;
    }

    @Override
    public LongWritable getCurrentKey() {
      return current;
    }

    @Override
    public NullWritable getCurrentValue() {
      return NullWritable.get();
    }

    @Override
    public float getProgress() {
      return end == first ? 1 : (float) (next - first) / (end - first);
    }

    @Override
    public void close() {}
  }
}
