package io.sluice.benchmarks.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/** Groups by one part of the key and sorts each group by the other, downwards. */
final class SecondarySort implements Workload {
  private static final int GROUPS = 1_000;

  @Override
  public void configure(Job job) {
    job.setMapperClass(Pairs.class);
    job.setReducerClass(GroupSequences.class);
    job.setPartitionerClass(ByGroup.class);
    job.setGroupingComparatorClass(Grouping.class);
    job.setMapOutputKeyClass(Pair.class);
    job.setMapOutputValueClass(IntWritable.class);
    job.setOutputKeyClass(IntWritable.class);
    job.setOutputValueClass(Text.class);
    job.setOutputFormatClass(TextOutputFormat.class);
  }

  /** Group and rank; ranks are unique. */
  public static final class Pair implements WritableComparable<Pair> {
    int group;
    long rank;

    /** For Hadoop. */
    public Pair() {}

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeInt(group);
      out.writeLong(rank);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      group = in.readInt();
      rank = in.readLong();
    }

    @Override
    public int compareTo(Pair other) {
      int groups = Integer.compare(group, other.group);
      return groups != 0 ? groups : Long.compare(other.rank, rank);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Pair pair && compareTo(pair) == 0;
    }

    @Override
    public int hashCode() {
      return group;
    }
  }

  /** Makes pairs. */
  public static final class Pairs extends FaultyMapper<Pair, IntWritable> {
    private final Pair pair = new Pair();
    private final IntWritable value = new IntWritable();

    @Override
    protected void map(LongWritable row, NullWritable nothing, Context context)
        throws IOException, InterruptedException {
      pair.group = (int) Long.remainderUnsigned(Mix.of(row.get()), GROUPS);
      pair.rank = Mix.of(~row.get());
      value.set((int) row.get());
      context.write(pair, value);
    }
  }

  /** By group alone. */
  public static final class ByGroup extends Partitioner<Pair, IntWritable> {
    @Override
    public int getPartition(Pair key, IntWritable value, int partitions) {
      return key.group % partitions;
    }
  }

  /** Keys of one group are one call of the reducer. */
  public static final class Grouping extends WritableComparator {
    /** For Hadoop. */
    public Grouping() {
      super(Pair.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes") // As the class it extends.
    public int compare(WritableComparable a, WritableComparable b) {
      return Integer.compare(((Pair) a).group, ((Pair) b).group);
    }
  }
}
