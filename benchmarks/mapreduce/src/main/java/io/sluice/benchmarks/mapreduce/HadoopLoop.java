package io.sluice.benchmarks.mapreduce;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * HDFS and YARN, and whoever submits jobs to them, as one process that lives as long as its
 * standard input: each line in is a {@link JobRequest}, each line out that begins with {@code @}
 * answers the one whose number comes next, or tells how far it is. Jobs run side by side.
 */
public final class HadoopLoop {
  private static final String READY = "@ready ";
  private static final String RESULT = "@result ";
  private static final String FAILURE = "@failure ";
  private static final String PROGRESS = "@progress ";

  private HadoopLoop() {}

  /**
   * @param args the folder for all data; which cluster, {@code yarn} or {@code local}
   */
  public static void main(String[] args) throws Exception {
    PrintStream answers = new PrintStream(System.out, true, UTF_8);
    BlockingQueue<JobRequest> requests = readRequests();
    HadoopCluster cluster;
    try {
      cluster = HadoopCluster.start(Path.of(args[0]), args[1].equals("yarn"));
    } catch (Throwable failure) { // Hadoop's threads would keep the process.
      failure.printStackTrace();
      Runtime.getRuntime().halt(1);
      return;
    }
    JobRunner runner =
        new JobRunner(cluster.configuration(), progress -> answers.println(PROGRESS + progress));
    ExecutorService jobs = Executors.newCachedThreadPool();
    answers.println(READY + cluster.configuration().get("fs.defaultFS"));
    while (true) {
      JobRequest request = requests.take();
      jobs.execute(() -> answers.println(answer(runner, request)));
    }
  }

  private static String answer(JobRunner runner, JobRequest request) {
    try {
      return RESULT + request.number() + ' ' + runner.run(request);
    } catch (Exception failure) { // Of the job; the loop goes on.
      failure.printStackTrace();
      String why = String.valueOf(failure.getMessage()).replace('\n', ' ');
      return FAILURE + request.number() + ' ' + why;
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
                // Containers end with the process that started them; an orderly stop takes 35 s.
                Runtime.getRuntime().halt(0);
              }
            },
            "requests");
    reader.setDaemon(true);
    reader.start();
    return requests;
  }
}
