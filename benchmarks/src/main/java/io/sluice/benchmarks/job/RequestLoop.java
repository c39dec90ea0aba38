package io.sluice.benchmarks.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.cli.spark.Fields;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.apache.spark.sql.SparkSession;

/**
 * A driver that lives as long as its standard input: each line in is a request, each line out that
 * begins with {@code @} answers one. Lives on, warm, between requests; ends with its owner, for
 * whatever reason the owner ends.
 */
public final class RequestLoop {
  private static final String READY = "@ready ";
  private static final String RESULT = "@result ";
  private static final String FAILURE = "@failure ";

  private RequestLoop() {}

  /** What a driver does. */
  public interface Handler {
    /** The answer to a request; what it throws is told instead, and the driver lives on. */
    String answer(String request) throws Exception;
  }

  /** Answers one request after the other until standard input ends, which ends the process. */
  public static void run(SparkSession spark, Handler handler) throws InterruptedException {
    PrintStream answers = new PrintStream(System.out, true, UTF_8);
    BlockingQueue<String> requests = readRequests();
    answers.println(READY + describe(spark));
    while (true) {
      answers.println(answer(handler, requests.take()));
    }
  }

  /** Reads on a thread of its own, so that the owner's end is noticed in the middle of a job. */
  private static BlockingQueue<String> readRequests() {
    BlockingQueue<String> requests = new ArrayBlockingQueue<>(1);
    Thread reader =
        new Thread(
            () -> {
              try (BufferedReader lines =
                  new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  requests.put(line);
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

  private static String answer(Handler handler, String request) throws InterruptedException {
    try {
      return RESULT + handler.answer(request);
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
