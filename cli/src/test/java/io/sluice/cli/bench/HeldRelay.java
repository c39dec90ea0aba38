package io.sluice.cli.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A way to a coordinator on which nothing moves until it is let go. */
final class HeldRelay implements AutoCloseable {
  private final HostPort to;
  private final ServerSocket listening;
  private final List<Socket> open = new CopyOnWriteArrayList<>();
  private final CountDownLatch connected = new CountDownLatch(1);
  private final CountDownLatch released = new CountDownLatch(1);

  HeldRelay(HostPort to) throws IOException {
    this.to = to;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    run(this::accept);
  }

  HostPort address() {
    return new HostPort("127.0.0.1", listening.getLocalPort());
  }

  void awaitConnection() throws InterruptedException {
    assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
  }

  void release() {
    released.countDown();
  }

  /** What ends with its socket. */
  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  private static void run(Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException | InterruptedException ended) {
                // Closed from either side.
              }
            },
            "relay");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() throws IOException {
    while (true) {
      Socket from = listening.accept();
      open.add(from);
      connected.countDown();
      run(() -> relay(from));
    }
  }

  private void relay(Socket from) throws IOException, InterruptedException {
    released.await();
    Socket there = new Socket(to.host(), to.port());
    open.add(there);
    run(() -> pump(there, from));
    pump(from, there);
  }

  private static void pump(Socket from, Socket into) throws IOException {
    try (from;
        into) {
      from.getInputStream().transferTo(into.getOutputStream());
    }
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : open) {
      socket.close();
    }
  }
}
