package io.sluice.tier.hdfs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Connections in the names of users. Thread-safe; borrowing blocks when a connection has to be
 * made.
 *
 * <p>Hadoop binds a file system to one user, with a socket to the namenode, and a thread that
 * renews leases while a file is written. Its own cache never closes what a user once had, so it is
 * not used: whoever opens a file borrows the user's connection until the file is closed. Then it is
 * kept for the next file, but of those that nobody uses only the {@value #IDLE_MAX} used last.
 */
final class UserConnections implements AutoCloseable {
  static final int IDLE_MAX = 16;

  private final HdfsClient server;
  // Guarded by this, the one used last at the end.
  private final Map<String, Connection> connections = new LinkedHashMap<>(16, 0.75f, true);
  private boolean closed;

  /** One user's; the uses under the monitor of all. */
  private static final class Connection {
    private final HdfsClient client;
    private int uses;

    Connection(HdfsClient client) {
      this.client = client;
    }
  }

  /**
   * @param server borrowed, closed after this
   */
  UserConnections(HdfsClient server) {
    this.server = server;
  }

  /**
   * A user's connection, to be given back by closing it.
   *
   * @throws IOException if it cannot be made, or if all are closed
   */
  FileAccess borrow(String user) throws IOException {
    Connection known = take(user, null);
    if (known == null) {
      HdfsClient made = server.inTheNameOf(user);
      known = take(user, made);
      if (known == null || known.client != made) {
        // Somebody else was faster, or all is over.
        made.disconnect();
      }
    }
    if (known == null) {
      throw new IOException("HDFS: closed before a connection as " + user + " was made");
    }
    Connection taken = known;
    return new FileAccess(taken.client, () -> giveBack(taken));
  }

  private synchronized @Nullable Connection take(String user, @Nullable HdfsClient made) {
    Connection found = connections.get(user);
    if (found == null && made != null && !closed) {
      found = new Connection(made);
      connections.put(user, found);
    }
    if (found != null) {
      found.uses++;
    }
    return found;
  }

  private void giveBack(Connection connection) {
    List<HdfsClient> unused;
    synchronized (this) {
      connection.uses--;
      unused = takeOut(IDLE_MAX);
    }
    unused.forEach(HdfsClient::disconnect);
  }

  /** Takes idle connections out, the longest unused first, but for so many. */
  private List<HdfsClient> takeOut(int remaining) {
    long idle = connections.values().stream().filter(each -> each.uses == 0).count();
    List<HdfsClient> taken = new ArrayList<>();
    Iterator<Connection> all = connections.values().iterator();
    while (idle > remaining && all.hasNext()) {
      Connection eldest = all.next();
      if (eldest.uses == 0) {
        all.remove();
        taken.add(eldest.client);
        idle--;
      }
    }
    return taken;
  }

  /** Connections there are. */
  synchronized int size() {
    return connections.size();
  }

  /** Ends all of them; every file should have been closed. */
  @Override
  public void close() {
    List<HdfsClient> all = new ArrayList<>();
    synchronized (this) {
      closed = true;
      connections.values().forEach(each -> all.add(each.client));
      connections.clear();
    }
    all.forEach(HdfsClient::disconnect);
  }
}
