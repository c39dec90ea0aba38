package io.sluice.integration.quorum;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A way to one port of the loopback interface that can be cut: then nothing passes in either
 * direction and nobody is told, as when a switch fails. Needs no rights, unlike a packet filter.
 */
final class Link implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  private final ServerSocket listening;
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  // Held to read by whoever passes bytes on, so that none passes once a cut has been made.
  private final ReadWriteLock passing = new ReentrantReadWriteLock();
  private boolean cut;
  private volatile boolean closed;

  private Link(ServerSocket listening, int target) {
    this.listening = listening;
    this.target = target;
  }

  /** Listens on a free port and forwards to another. */
  static Link to(int target) throws IOException {
    Link link = new Link(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
    link.start("accept", link::accept);
    return link;
  }

  int port() {
    return listening.getLocalPort();
  }

  /** From when this returns nothing passes: what is sent is lost, what connects is not heard. */
  void cut() {
    passing.writeLock().lock();
    try {
      cut = true;
    } finally {
      passing.writeLock().unlock();
    }
  }

  /** Lets new connections pass; those that lost bytes break. */
  void mend() {
    passing.writeLock().lock();
    try {
      cut = false;
    } finally {
      passing.writeLock().unlock();
    }
    sockets.forEach(this::end);
  }

  private void start(String name, Runnable work) {
    Thread thread = new Thread(work, "link-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    try {
      while (!closed) {
        Socket near = owned(listening.accept());
        start("connect", () -> connect(near));
      }
    } catch (IOException stopped) {
      if (!closed) {
        throw new IllegalStateException("the link to port " + target + " broke", stopped);
      }
    }
  }

  private Socket owned(Socket socket) throws IOException {
    sockets.add(socket);
    if (closed) {
      end(socket);
    }
    socket.setTcpNoDelay(true);
    return socket;
  }

  private void connect(Socket near) {
    passing.readLock().lock();
    try {
      if (cut) {
        return; // It stays open, unheard, until the link is mended.
      }
      Socket far = owned(new Socket(InetAddress.getLoopbackAddress(), target));
      start("there", () -> pump(near, far));
      start("back", () -> pump(far, near));
    } catch (IOException refused) {
      end(near);
    } finally {
      passing.readLock().unlock();
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[BUFFER_BYTES];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (!pass(out, buffer, count)) {
          return; // Both stay open, unheard, until the link is mended.
        }
      }
    } catch (IOException broken) {
      // Ended below.
    }
    if (passes()) {
      end(from);
      end(to);
    }
  }

  private boolean pass(OutputStream out, byte[] bytes, int count) throws IOException {
    passing.readLock().lock();
    try {
      if (!cut) {
        out.write(bytes, 0, count);
      }
      return !cut;
    } finally {
      passing.readLock().unlock();
    }
  }

  /** The end of a connection does not pass either. */
  private boolean passes() {
    passing.readLock().lock();
    try {
      return !cut;
    } finally {
      passing.readLock().unlock();
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
  public void close() throws IOException {
    closed = true;
    listening.close();
    sockets.forEach(this::end);
  }
}
