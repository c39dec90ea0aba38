package io.sluice.benchmarks.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.examples.terasort.TeraGen;
import org.apache.hadoop.examples.terasort.TeraInputFormat;
import org.apache.hadoop.examples.terasort.TeraOutputFormat;
import org.apache.hadoop.examples.terasort.TeraValidate;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Hadoop's own example of that name, with its rows, its formats and its partitioner, which looks
 * for the bounds of partitions in a sample of the input. Rows are made once for each number of
 * rows, by its {@code TeraGen}. That and its {@code TeraValidate} run in this process, with
 * Hadoop's own shuffle, whatever the job is run by.
 */
final class TeraSort implements Workload {
  /** Whether Hadoop's own {@code TeraValidate} has to find the output whole and sorted. */
  static final String VALIDATE = "sluice.bench.validate";

  /** It is not public. Hadoop finds it by name. */
  private static final String PARTITIONER =
      "org.apache.hadoop.examples.terasort.TeraSort$TotalOrderPartitioner";

  /** Where that looks for the bounds of partitions. */
  private static final String BOUNDS = "_partition.lst";

  private static final int ROW_BYTES = 100;

  private static final int MAPS_AT_A_TIME = 2;

  private static final String CHECKSUM = "checksum";

  @Override
  public void configure(Job job, JobRequest request, Configuration cluster, Path data, Path output)
      throws IOException, InterruptedException {
    Path rows = new Path(data, Long.toString(request.rows()));
    synchronized (TeraSort.class) {
      if (!FileSystem.get(cluster).exists(new Path(rows, "_SUCCESS"))) {
        Configuration conf = new Configuration(cluster);
        run(conf, new TeraGen(), Long.toString(request.rows()), rows.toString());
      }
    }
    TeraInputFormat.setInputPaths(job, rows);
    // The local job runner makes one file, however many maps there are to be.
    long bytes = request.rows() * ROW_BYTES;
    TeraInputFormat.setMaxInputSplitSize(job, (bytes + request.maps() - 1) / request.maps());
    FileOutputFormat.setOutputPath(job, output);
    configure(job);
    Path bounds = new Path(output, BOUNDS);
    try {
      TeraInputFormat.writePartitionFile(job, bounds);
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // It says that it throws whatever it may.
      throw new IOException(e);
    }
    job.addCacheFile(URI.create(bounds + "#" + BOUNDS));
  }

  @Override
  public void configure(Job job) {
    job.setJarByClass(TeraGen.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    job.setInputFormatClass(TeraInputFormat.class);
    job.setOutputFormatClass(TeraOutputFormat.class);
    job.getConfiguration().set(MRJobConfig.PARTITIONER_CLASS_ATTR, PARTITIONER);
  }

  /**
   * Has the output validated.
   *
   * @param cluster without what the job says that wrote it
   * @return the lower half of the checksum over all rows
   * @throws IOException if it is not sorted
   */
  static long validate(Configuration cluster, Path output)
      throws IOException, InterruptedException {
    Path report = output.suffix("-report");
    run(new Configuration(cluster), new TeraValidate(), output.toString(), report.toString());
    FileSystem files = FileSystem.get(cluster);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(files.open(new Path(report, "part-r-00000")), UTF_8))) {
      String[] words = String.valueOf(lines.readLine()).split("\t");
      if (words.length != 2 || !words[0].equals(CHECKSUM) || lines.readLine() != null) {
        throw new IOException("TeraValidate says: " + String.join(" ", words));
      }
      String hex = words[1];
      return Long.parseUnsignedLong(hex.substring(Math.max(0, hex.length() - 16)), 16);
    }
  }

  private static void run(Configuration conf, Tool tool, String... arguments)
      throws IOException, InterruptedException {
    conf.set(MRConfig.FRAMEWORK_NAME, MRConfig.LOCAL_FRAMEWORK_NAME);
    conf.setInt(LocalJobRunner.LOCAL_MAX_MAPS, MAPS_AT_A_TIME);
    int code;
    try {
      code = ToolRunner.run(conf, tool, arguments);
    } catch (IOException | InterruptedException | RuntimeException e) {
      throw e;
    } catch (Exception e) { // It says that it throws whatever it may.
      throw new IOException(e);
    }
    if (code != 0) {
      throw new IOException(tool.getClass().getSimpleName() + " ended with " + code);
    }
  }
}
