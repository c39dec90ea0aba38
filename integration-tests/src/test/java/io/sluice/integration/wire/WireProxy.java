package io.sluice.integration.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands on the loopback interface between clients and one shuffle server and forwards bytes, 64
 * KiB at a time in each direction, so that a side that does not read stops the other as it would
 * without a proxy.
 */
public final class WireProxy implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  private final ServerSocket listening;
  private final CompletableFuture<InetSocketAddress> server = new CompletableFuture<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private volatile Flip order = new Flip(Way.PUSH, 0);
  private volatile boolean closed;

  private WireProxy(ServerSocket listening) {
    this.listening = listening;
  }

  /** Listens on a free port. Connections wait until it is known {@link #forwardTo where to}. */
  public static WireProxy open() throws IOException {
    WireProxy proxy = new WireProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    proxy.start("accept", proxy::accept);
    return proxy;
  }

  /** Where clients connect to. */
  public int port() {
    return listening.getLocalPort();
  }

  /** Names the server, once, by its port on the loopback interface. */
  public void forwardTo(int port) {
    server.complete(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /** Damages one block of those that pass from now on, so many times in a row. */
  public Flip flip(Way way, int times) {
    Flip ordered = new Flip(way, times);
    order = ordered;
    return ordered;
  }

  /** What went wrong in the proxy itself: bytes that were not as docs/protocol.md says. */
  public List<Throwable> failures() {
    return List.copyOf(failures);
  }

  private void start(String name, Runnable work) {
    Thread thread = new Thread(work, "wire-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (!closed) {
        Socket client = owned(listening.accept());
        start("connect", () -> connect(client));
      }
    } catch (IOException stopped) {
      if (!closed) {
        failures.add(stopped);
      }
    }
  }

  private Socket owned(Socket socket) throws IOException {
    sockets.add(socket);
    if (closed) {
      socket.close();
    }
    socket.setTcpNoDelay(true);
    return socket;
  }

  private void connect(Socket client) {
    try {
      InetSocketAddress address = server.join();
      Socket upstream = owned(new Socket(address.getAddress(), address.getPort()));
      Connection connection = new Connection(client, upstream);
      Names names = new Names();
      start("push", () -> connection.pump(client, upstream, names));
      start("fetch", () -> connection.pump(upstream, client, names));
    } catch (IOException | CompletionException refused) {
      end(client);
    }
  }

  private void end(Socket socket) {
    sockets.remove(socket);
    try {
      socket.close();
    } catch (IOException alreadyBroken) {
      // Closed is what it should be.
    }
  }

  /** Ends all connections. Threads end with them. */
  @Override
  public void close() {
    closed = true;
    server.completeExceptionally(new IOException("the proxy is closed"));
    try {
      listening.close();
    } catch (IOException e) {
      failures.add(e);
    }
    sockets.forEach(this::end);
  }

  /** Two directions, each of which may end before the other. */
  private final class Connection {
    private final Socket client;
    private final Socket upstream;
    private final AtomicInteger directions = new AtomicInteger(2);

    Connection(Socket client, Socket upstream) {
      this.client = client;
      this.upstream = upstream;
    }

    void pump(Socket from, Socket to, Names names) {
      FrameScanner scanner = new FrameScanner(names, () -> order);
      byte[] buffer = new byte[BUFFER_BYTES];
      try {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
          scanner.pass(buffer, count);
          out.write(buffer, 0, count);
        }
        to.shutdownOutput();
        if (directions.decrementAndGet() == 0) {
          endBoth();
        }
      } catch (IOException broken) {
        endBoth();
      } catch (RuntimeException unexpected) {
        failures.add(unexpected);
        endBoth();
      }
    }

    private void endBoth() {
      end(client);
      end(upstream);
    }
  }
}
