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
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Where each task of a job waits, half-way, until the test lets it go on. Listens for one driver
 * after the other; tasks that wait are as many as the driver runs at a time.
 */
public final class JobGate implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(60);
  private static final int ALL = 1 << 20;

  private final ServerSocket listening;
  private final Semaphore permits = new Semaphore(0);
  private final Semaphore arrivals = new Semaphore(0);
  private final List<String> arrived = new ArrayList<>();

  private JobGate(ServerSocket listening) {
    this.listening = listening;
  }

  /** Listens on a free port of the loopback interface; lets nobody pass. */
  public static JobGate open() throws IOException {
    JobGate gate = new JobGate(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    gate.start(gate::listen);
    return gate;
  }

  public int port() {
    return listening.getLocalPort();
  }

  /** Waits until so many more tasks have come. */
  public void await(int tasks) throws InterruptedException {
    if (!arrivals.tryAcquire(tasks, DEADLINE.toSeconds(), TimeUnit.SECONDS)) {
      throw new AssertionError(
          "no " + tasks + " more tasks came within " + DEADLINE + "; so far: " + arrived());
    }
  }

  /**
   * Lets so many tasks pass and waits until as many others have come: as no more run at a time,
   * those that passed have ended by then, and their blocks have been acknowledged.
   */
  public void letPass(int tasks) throws InterruptedException {
    permits.release(tasks);
    await(tasks);
  }

  /** Lets so many tasks pass, those among them that were killed while they waited. */
  public void release(int tasks) {
    permits.release(tasks);
  }

  /** Lets everybody pass from now on. */
  public void letAllPass() {
    permits.release(ALL);
  }

  /** The tasks that have come, each with its side, partition and attempt. */
  public synchronized List<String> arrived() {
    return List.copyOf(arrived);
  }

  /** How many have come on a side, such as MAP, all attempts counted. */
  public int arrived(String side) {
    return (int) arrived().stream().filter(task -> task.startsWith(side + " ")).count();
  }

  private synchronized void note(String task) {
    arrived.add(task);
    arrivals.release();
  }

  private void start(Runnable work) {
    Thread thread = new Thread(work, "job-gate");
    thread.setDaemon(true);
    thread.start();
  }

  private void listen() {
    try {
      while (true) {
        Socket task = listening.accept();
        start(() -> serve(task));
      }
    } catch (IOException closed) {
      // By the test: tasks that come later fail, and say why.
    }
  }

  private void serve(Socket task) {
    try (task;
        BufferedReader in =
            new BufferedReader(new InputStreamReader(task.getInputStream(), UTF_8));
        PrintStream out = new PrintStream(task.getOutputStream(), true, UTF_8)) {
      note(String.valueOf(in.readLine()));
      permits.acquire();
      out.println();
    } catch (IOException ended) {
      // The task was killed.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
  }
}
