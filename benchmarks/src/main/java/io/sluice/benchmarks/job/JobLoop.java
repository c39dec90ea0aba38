package io.sluice.benchmarks.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.cli.spark.Fields;
import io.sluice.cli.spark.JobRequest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
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
  public static void main(String[] args) throws InterruptedException {
    PrintStream answers = new PrintStream(System.out, true, UTF_8);
    SparkSession spark = SparkSession.builder().getOrCreate();
    try {
      JobRunner runner = new JobRunner(spark);
      BlockingQueue<JobRequest> requests = readRequests();
      answers.println(READY + describe(spark));
      while (true) {
        answers.println(answer(runner, requests.take()));
      }
    } finally {
      spark.stop();
    }
  }

  /** Reads on a thread of its own, so that the owner's end is noticed in the middle of a job. */
  private static BlockingQueue<JobRequest> readRequests() {
    BlockingQueue<JobRequest> requests = new ArrayBlockingQueue<>(1);
    Thread reader =
        new Thread(
            () -> {
              try (BufferedReader lines =
                  new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  requests.put(JobRequest.parse(line));
                }
              } catch (IOException | InterruptedException over) {
                System.err.println("standard input: " + over);
              } finally {
                System.exit(0); // Spark's own hooks clean up.
              }
            },
            "requests");
    reader.setDaemon(true);
    reader.start();
    return requests;
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
