package io.sluice.integration.fault;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Hears what a driver tells of its job and lets faults happen at points of it. What tells waits for
 * an answer to each piece of news; tasks do not, so a fault begins a moment after its point.
 */
public final class JobWatch implements AutoCloseable {
  private static final long END_DEADLINE_SECONDS = 120;

  private final ServerSocket listening;
  private final ScheduledExecutorService ends = Executors.newSingleThreadScheduledExecutor();
  private Plan plan = new Plan(List.of());

  private JobWatch(ServerSocket listening) {
    this.listening = listening;
  }

  /**
   * A fault and when it is.
   *
   * @param afterMaps begins when so many map tasks of the job have succeeded
   * @param lasts then ends; null if it lasts as long as the job
   */
  public record Strike(int afterMaps, @Nullable Duration lasts, Fault fault) {}

  /** An attempt of a stage, counted from 0. */
  public record StageAttempt(int stage, int number, int tasks) {}

  /** What is to happen to one job, and what has. */
  private static final class Plan {
    private final List<Strike> strikes;
    private final List<StageAttempt> attempts = new ArrayList<>();
    private final List<Future<?>> ended = new ArrayList<>();
    private final List<Fault> lasting = new ArrayList<>();
    private int maps;
    private @Nullable Exception failure;

    Plan(List<Strike> strikes) {
      this.strikes = strikes;
    }
  }

  /** Listens on a free port of the loopback interface, for one driver. */
  public static JobWatch open() throws IOException {
    JobWatch watch = new JobWatch(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
    Thread thread = new Thread(watch::listen, "job-watch");
    thread.setDaemon(true);
    thread.start();
    return watch;
  }

  public int port() {
    return listening.getLocalPort();
  }

  /** Says what shall happen to the next job. */
  public synchronized void expect(List<Strike> strikes) {
    plan = new Plan(strikes);
  }

  /**
   * Waits until all that went wrong with the job has been put right again.
   *
   * @return the attempts of the job's stages
   * @throws IllegalStateException if a fault could not begin, or never did
   */
  public List<StageAttempt> end() throws Exception {
    List<Future<?>> ended;
    List<Fault> lasting;
    List<StageAttempt> attempts;
    synchronized (this) {
      ended = List.copyOf(plan.ended);
      lasting = List.copyOf(plan.lasting);
      attempts = List.copyOf(plan.attempts);
      int began = ended.size() + lasting.size();
      if (plan.failure != null || began < plan.strikes.size()) {
        throw new IllegalStateException(
            began + " faults of " + plan.strikes.size() + " began", plan.failure);
      }
    }
    for (Future<?> each : ended) {
      each.get(END_DEADLINE_SECONDS, TimeUnit.SECONDS);
    }
    for (Fault fault : lasting) {
      fault.end();
    }
    return attempts;
  }

  private void listen() {
    try (Socket driver = listening.accept();
        BufferedReader news =
            new BufferedReader(new InputStreamReader(driver.getInputStream(), UTF_8));
        PrintStream answers = new PrintStream(driver.getOutputStream(), true, UTF_8)) {
      for (String line = news.readLine(); line != null; line = news.readLine()) {
        heard(line.split(" ", -1));
        answers.println();
      }
    } catch (IOException closed) {
      // The driver has ended, or the test; whoever waits for news has a deadline.
    }
  }

  private synchronized void heard(String[] words) {
    if (words[0].equals("stage")) {
      plan.attempts.add(
          new StageAttempt(
              Integer.parseInt(words[1]), Integer.parseInt(words[2]), Integer.parseInt(words[3])));
      return;
    }
    plan.maps++;
    for (Strike strike : plan.strikes) {
      if (strike.afterMaps() == plan.maps) {
        strike(strike);
      }
    }
  }

  private void strike(Strike strike) {
    try {
      strike.fault().begin();
    } catch (Exception e) {
      plan.failure = e;
      return;
    }
    Duration lasts = strike.lasts();
    if (lasts == null) {
      plan.lasting.add(strike.fault());
      return;
    }
    plan.ended.add(
        ends.schedule(
            () -> {
              strike.fault().end();
              return null;
            },
            lasts.toMillis(),
            TimeUnit.MILLISECONDS));
  }

  /** Waits for what has begun to end: rules of the firewall would outlive this process. */
  @Override
  public void close() throws IOException {
    listening.close();
    ends.shutdown();
    try {
      if (!ends.awaitTermination(END_DEADLINE_SECONDS, TimeUnit.SECONDS)) {
        throw new IllegalStateException("a fault has not ended");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
