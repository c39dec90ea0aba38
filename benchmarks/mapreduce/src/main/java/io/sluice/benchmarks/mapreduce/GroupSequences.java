package io.sluice.benchmarks.mapreduce;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Writes how many a group has, and a hash of them in their order; fails if that is wrong. */
public final class GroupSequences
    extends Reducer<SecondarySort.Pair, IntWritable, IntWritable, Text> {
  @Override
  protected void reduce(SecondarySort.Pair key, Iterable<IntWritable> values, Context context)
      throws IOException, InterruptedException {
    int count = 0;
    long hash = 0;
    long before = 0;
    for (IntWritable value : values) {
      if (count > 0 && key.rank >= before) {
        throw new IOException("rank " + key.rank + " after " + before);
      }
      before = key.rank;
      hash = hash * 31 + value.get();
      count++;
    }
    context.write(new IntWritable(key.group), new Text(count + " " + hash));
  }
}
