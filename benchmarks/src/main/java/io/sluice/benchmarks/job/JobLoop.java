package io.sluice.benchmarks.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.cli.spark.Fields;
import io.sluice.cli.spark.JobRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import org.apache.spark.sql.SparkSession;

/**
 * A driver that lives as long as its standard input: each line in is a {@link JobRequest}, each
 * line out that begins with {@code @} answers one. Lives on, warm, between runs; ends with its
 * owner, for whatever reason the owner ends.
 */
public final class JobLoop {
  private static final String READY = "@ready ";
  private static final String RESULT = "@result ";
  private static final String FAILURE = "@failure ";

  private JobLoop() {}

  /** Takes no arguments: everything is in Spark's configuration and on standard input. */
  public static void main(String[] args) throws IOException, InterruptedException {
    BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    PrintStream answers = new PrintStream(System.out, true, UTF_8);
    SparkSession spark = SparkSession.builder().getOrCreate();
    try {
      JobRunner runner = new JobRunner(spark);
      answers.println(READY + describe(spark));
      for (String line = requests.readLine(); line != null; line = requests.readLine()) {
        answers.println(answer(runner, JobRequest.parse(line)));
      }
    } finally {
      spark.stop();
    }
  }

  private static String answer(JobRunner runner, JobRequest request) throws InterruptedException {
    try {
      return RESULT + runner.run(request).format();
    } catch (InterruptedException stop) {
      throw stop;
    } catch (Exception failure) { // Scala throws checked SparkExceptions undeclared.
      failure.printStackTrace();
      return FAILURE + new Fields().put("message", String.valueOf(failure.getMessage()));
    }
  }

  private static Fields describe(SparkSession spark) {
    return new Fields()
        .put("spark", spark.version())
        .put("java", Runtime.version())
        .put("master", spark.sparkContext().master())
        .put("application", spark.sparkContext().applicationId());
  }
}
