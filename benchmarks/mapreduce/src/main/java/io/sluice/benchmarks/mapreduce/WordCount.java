package io.sluice.benchmarks.mapreduce;

import java.io.IOException;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;

/** Counts words, with a combiner. A row is a line of ten words; few words are frequent. */
final class WordCount implements Workload {
  private static final int WORDS_PER_ROW = 10;
  private static final int WORDS = 200_000;

  @Override
  public void configure(Job job) {
    job.setMapperClass(Words.class);
    job.setCombinerClass(Sums.class);
    job.setReducerClass(Sums.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    job.setOutputFormatClass(TextOutputFormat.class);
  }

  /** Makes words. */
  public static final class Words extends FaultyMapper<Text, IntWritable> {
    private final Text word = new Text();
    private final IntWritable one = new IntWritable(1);

    @Override
    protected void map(LongWritable row, NullWritable nothing, Context context)
        throws IOException, InterruptedException {
      for (int i = 0; i < WORDS_PER_ROW; i++) {
        // The cube of a number between 0 and 1: an eighth of all words are half of the text.
        double uniform = (Mix.of(row.get() * WORDS_PER_ROW + i) >>> 11) * 0x1.0p-53;
        word.set("word" + (int) (uniform * uniform * uniform * WORDS));
        context.write(word, one);
      }
    }
  }

  /** Adds up, both as combiner and as reducer. */
  public static final class Sums extends IntSumReducer<Text> {}
}
