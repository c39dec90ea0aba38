package io.sluice.examples;

import java.io.IOException;
import java.util.Locale;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** Counts the words of a text into a folder. */
public final class MapReduceWordCount extends Configured implements Tool {
  private MapReduceWordCount() {}

  /**
   * @param args Hadoop's own options; the text, a file or a folder; the folder to write to
   */
  public static void main(String[] args) throws Exception {
    System.exit(ToolRunner.run(new MapReduceWordCount(), args));
  }

  @Override
  public int run(String[] args) throws Exception {
    if (args.length != 2) {
      System.err.println(
          "Usage: MapReduceWordCount [-libjars JARS] [-D NAME=VALUE]... TEXT FOLDER");
      return 64;
    }
    Job job = Job.getInstance(getConf(), "word count");
    job.setJarByClass(MapReduceWordCount.class);
    job.setMapperClass(Words.class);
    job.setCombinerClass(IntSumReducer.class);
    job.setReducerClass(IntSumReducer.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    FileInputFormat.addInputPath(job, new Path(args[0]));
    FileOutputFormat.setOutputPath(job, new Path(args[1]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  /** Lines to words. */
  public static final class Words extends Mapper<LongWritable, Text, Text, IntWritable> {
    private final Text word = new Text();
    private final IntWritable one = new IntWritable(1);

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (String next : line.toString().toLowerCase(Locale.ROOT).split("[^a-z]+")) {
        if (!next.isEmpty()) {
          word.set(next);
          context.write(word, one);
        }
      }
    }
  }
}
