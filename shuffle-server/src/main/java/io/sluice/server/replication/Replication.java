package io.sluice.server.replication;

import static java.util.Comparator.comparingLong;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.transport.Principal;
import io.sluice.transport.ReplicaMember;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** All that goes from this server to others. Thread-safe. */
public final class Replication implements AutoCloseable {
  private final PeerConnector connector;
  private final AckRule rule;
  private final long mostKept;
  private final ReplicaStats stats = new ReplicaStats();
  private final PeerTable peers = new PeerTable();
  // Whether a member that lags is being given up.
  private final AtomicBoolean shedding = new AtomicBoolean();
  private volatile boolean closed;

  /**
   * @param mostKept bytes that may wait for members although their clients have been answered;
   *     {@link ReplicationLimits#keptOf}
   */
  public Replication(PeerConnector connector, AckRule rule, long mostKept) {
    this.connector = connector;
    this.rule = rule;
    this.mostKept = mostKept;
  }

  public ReplicaStats stats() {
    return stats;
  }

  /** As {@link PeerConnector#mayBeSentBy}. */
  public boolean mayBeSentBy(Principal client) {
    return connector.mayBeSentBy(client);
  }

  AckRule rule() {
    return rule;
  }

  /** Sends a batch to all its members; its owner hears what came of it. */
  void send(ReplicaBatch batch) {
    ApplicationId application = batch.shuffle().key().application();
    for (ReplicaMember member : batch.members()) {
      PeerLink link = closed ? null : peers.link(member, application, this::open);
      if (link == null) {
        batch.failed(member, closed ? ErrorCode.SHUTTING_DOWN : ErrorCode.TOO_MANY_CONNECTIONS);
      } else {
        link.send(batch, member);
      }
    }
  }

  private PeerLink open(ReplicaMember member) {
    return new PeerLink(connector, member, stats, this::giveUpLaggards);
  }

  /**
   * While more is kept for members that lag than may be, the one for which most is kept counts as
   * failed. One after the other, and on its event loop: what it frees decides about the next.
   */
  private void giveUpLaggards() {
    if (!keepsTooMuch() || !shedding.compareAndSet(false, true)) {
      return;
    }
    Optional<PeerLink> last = peers.all().stream().max(comparingLong(PeerLink::keptBytes));
    if (last.isEmpty() || last.get().keptBytes() == 0) {
      shedding.set(false);
      return;
    }
    PeerLink laggard = last.get();
    laggard.onLoop(
        () -> {
          try {
            if (keepsTooMuch()) {
              laggard.lags();
            }
          } finally {
            // Or nobody would ever be given up again.
            shedding.set(false);
          }
          giveUpLaggards();
        });
  }

  private boolean keepsTooMuch() {
    return stats.keptBytes() > mostKept;
  }

  /** A shuffle was removed: frees what waits of it. */
  public void shuffleRemoved() {
    peers.all().forEach(PeerLink::failRemoved);
  }

  /** Gives up everything. */
  @Override
  public void close() {
    closed = true;
    peers.all().forEach(PeerLink::close);
  }
}
