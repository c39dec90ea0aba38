package io.sluice.integration.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import org.apache.spark.SparkConf;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/**
 * Tells a test of map tasks that have ended and of stages that are submitted, one line each, and
 * waits for an empty line before it goes on: so the test can strike at a point of the job.
 */
public final class JobNews extends SparkListener {
  /** Where the test listens. */
  static final String PORT = "spark.faults.news.port";

  private final PrintStream out;
  private final BufferedReader answers;

  /**
   * Connects to a test that listens on the loopback interface, for as long as the driver runs.
   * Spark makes it so where {@code spark.extraListeners} names it.
   */
  public JobNews(SparkConf conf) throws IOException {
    Socket test = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(conf.get(PORT)));
    this.out = new PrintStream(test.getOutputStream(), true, UTF_8);
    this.answers = new BufferedReader(new InputStreamReader(test.getInputStream(), UTF_8));
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    if (end.taskType().equals("ShuffleMapTask") && end.reason() == Success$.MODULE$) {
      tell("map");
    }
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    tell(
        "stage "
            + submitted.stageInfo().stageId()
            + " "
            + submitted.stageInfo().attemptNumber()
            + " "
            + submitted.stageInfo().numTasks());
  }

  private synchronized void tell(String news) {
    out.println(news);
    try {
      if (answers.readLine() == null) {
        throw new IOException("the test has hung up");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
