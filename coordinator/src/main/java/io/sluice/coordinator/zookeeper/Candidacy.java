package io.sluice.coordinator.zookeeper;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatch.CloseMode;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands for election, with a new candidate in each session. Curator's latch makes a node again
 * when it is connected again, and while the connection wavers it may take that of the session
 * before for its own; that node goes with its session, and as the latch watches only the node
 * before its own, it would stand no more and not know. (Seen with three coordinators when the
 * leader of three ZooKeepers was killed.) Thread-safe.
 */
final class Candidacy implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Candidacy.class);

  private final CuratorFramework client;
  private final String path;
  private final String address;
  private final LeaderLatchListener listener;
  // Curator's threads must not wait for what a latch does when it is closed.
  private final ExecutorService successions =
      Executors.newSingleThreadExecutor(
          work -> {
            Thread thread = new Thread(work, "sluice-candidacy");
            thread.setDaemon(true);
            return thread;
          });
  private final ConnectionStateListener sessions = (source, state) -> changed(state);
  private volatile boolean sessionLost;

  // Guarded by this.
  private @Nullable LeaderLatch latch;
  private boolean closed;

  /**
   * @param path of the election
   * @param address host:port, to be seen by whoever looks at the candidates
   */
  Candidacy(CuratorFramework client, String path, String address, LeaderLatchListener listener) {
    this.client = client;
    this.path = path;
    this.address = address;
    this.listener = listener;
  }

  /** Stands from now on. At most once. */
  void begin() {
    client.getConnectionStateListenable().addListener(sessions, successions);
    stand();
  }

  /** In the order of events, on the thread of successions. */
  private void changed(ConnectionState state) {
    if (state == ConnectionState.LOST) {
      sessionLost = true;
    } else if (state == ConnectionState.RECONNECTED && sessionLost) {
      sessionLost = false;
      log.info("stands for election anew, since the session is a new one");
      stand();
    }
  }

  /** Leaves its place in the election for the last one. Does not wait for it. */
  void standAgain() {
    try {
      successions.execute(this::stand);
    } catch (RejectedExecutionException e) {
      log.debug("stands no more, so not again either", e);
    }
  }

  private synchronized void stand() {
    if (closed) {
      return;
    }
    withdraw();
    LeaderLatch next = new LeaderLatch(client, path, address);
    next.addListener(listener);
    latch = next;
    try {
      next.start();
    } catch (Exception e) {
      throw new SluiceException(ErrorCode.INTERNAL_ERROR, "cannot start the election: " + e, e);
    }
  }

  /** Says that it does not lead any more, if it did, before another candidate can be told. */
  private void withdraw() {
    LeaderLatch before = latch;
    latch = null;
    if (before != null) {
      try {
        before.close(CloseMode.NOTIFY_LEADER);
      } catch (IOException e) {
        log.warn("could not leave the election; the session's end will", e);
      }
    }
  }

  /** Gives leadership up at once, without a word to the listener. */
  @Override
  public void close() {
    client.getConnectionStateListenable().removeListener(sessions);
    successions.shutdown();
    synchronized (this) {
      closed = true;
      if (latch != null) {
        latch.removeListener(listener);
      }
      withdraw();
    }
  }
}
