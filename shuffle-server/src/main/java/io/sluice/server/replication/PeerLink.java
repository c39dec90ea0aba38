package io.sluice.server.replication;

import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes to one other server: a connection that is made when something waits, tried once more
 * when it breaks, and ended when nothing has gone for a while.
 *
 * <p>Patience is short, because whoever waits has another server to go to: silence of five seconds
 * ends the connection (its timeouts say so), and with it everything that waits.
 *
 * <p>Shipments come from any thread through one queue with one wake-up; the rest happens on the
 * event loop.
 */
final class PeerLink {
  private static final Logger log = LoggerFactory.getLogger(PeerLink.class);

  /**
   * A refusal that comes faster says that the process may just be restarting: worth a second try.
   */
  private static final long QUICK_NANOS = Duration.ofSeconds(1).toNanos();

  private static final long IDLE_CREDIT_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long IDLE_LINK_NANOS = Duration.ofSeconds(30).toNanos();

  /** A member that talks and takes nothing: longer than any WANT waits by default. */
  private static final long STALL_NANOS = Duration.ofSeconds(60).toNanos();

  private final PeerConnector connector;
  private final Scheduler loop;
  private final ReplicaStats stats;
  private final ShipmentQueue queue;
  private final ConcurrentLinkedQueue<Shipment> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile boolean idle;

  // The event loop's.
  private ReplicaMember member;
  private @Nullable Session session;
  private boolean triedAgain;
  private boolean closed;
  private long lastProgress;
  private Scheduler.@Nullable Cancellable timer;

  PeerLink(PeerConnector connector, ReplicaMember member, ReplicaStats stats) {
    this.connector = connector;
    this.loop = connector.loop();
    this.member = member;
    this.stats = stats;
    this.queue = new ShipmentQueue(stats);
  }

  // ------------------------------------------------------------------------------- any thread

  /** Sends a batch there; the batch hears what came of it, if need be before this returns. */
  void send(ReplicaBatch batch, ReplicaMember to) {
    inbox.add(new Shipment(batch, to, stats));
    if (woken.compareAndSet(false, true)) {
      execute(this::takeInbox);
    }
  }

  /** Whether nothing goes there, and nothing has for a while; a glance. */
  boolean isIdle() {
    return idle && inbox.isEmpty();
  }

  /** Ends what waits for shuffles that were removed. */
  void failRemoved() {
    execute(
        () -> {
          queue.failRemoved();
          watch();
        });
  }

  /** Gives up everything and ends the connection, for good. */
  void close() {
    execute(
        () -> {
          closed = true;
          takeInbox();
          Session current = session;
          if (current != null) {
            current.end();
          }
          failAll(ErrorCode.SHUTTING_DOWN);
        });
  }

  private void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException ended) {
      // The process is about to end, and nobody can be told any more.
      Shipment shipment;
      while ((shipment = inbox.poll()) != null) {
        shipment.fail(ErrorCode.SHUTTING_DOWN);
      }
    }
  }

  // ---------------------------------------------------------------------------- the event loop

  private void takeInbox() {
    woken.set(false);
    if (queue.isIdle()) {
      progress();
    }
    Shipment shipment;
    while ((shipment = inbox.poll()) != null) {
      if (shipment.member().incarnation() > member.incarnation()) {
        member = shipment.member();
      }
      if (closed) {
        shipment.fail(ErrorCode.SHUTTING_DOWN);
      } else {
        queue.add(shipment);
      }
    }
    pump();
  }

  private void pump() {
    Session current = session;
    if (current != null) {
      current.pump();
    } else if (!queue.isIdle() && !closed) {
      connect();
    }
    watch();
  }

  private void connect() {
    Session next = new Session(now());
    session = next;
    connector.connect(loop, member, next);
  }

  private void failAll(ErrorCode why) {
    queue.failAll(why);
    watch();
  }

  private void lost(Session ended, SluiceException cause) {
    if (session != ended) {
      return;
    }
    session = null;
    queue.disconnected();
    if (queue.isIdle()) {
      triedAgain = false;
      return;
    }
    if (!triedAgain && !closed && isWorthASecondTry(ended, cause)) {
      triedAgain = true;
      connect();
      return;
    }
    triedAgain = false;
    // Clients say where a member is: what comes of it must not fill a disk.
    log.debug("replicas for server {} go elsewhere", member.id(), cause);
    failAll(reason(cause.code()));
  }

  /** What ended a connection says nothing against the blocks that waited for it. */
  private static ErrorCode reason(ErrorCode ofConnection) {
    boolean otherwise =
        ofConnection == ErrorCode.CONNECTION_LOST || ofConnection.advice() == Advice.ABORT;
    return otherwise ? ErrorCode.CONNECT_FAILED : ofConnection;
  }

  private boolean isWorthASecondTry(Session ended, SluiceException cause) {
    boolean refused =
        cause.code() == ErrorCode.CONNECT_FAILED && now() - ended.since <= QUICK_NANOS;
    return cause.code() != ErrorCode.TIMED_OUT
        && cause.code().advice() != Advice.ABORT
        && (ended.wasConnected || refused);
  }

  private void progress() {
    lastProgress = now();
  }

  private long now() {
    return loop.clock().nanoTime();
  }

  // ------------------------------------------------------------------------------------ timers

  /** Sees to it that somebody looks after a link that has work, or has none and is still there. */
  private void watch() {
    idle = session == null && queue.isIdle();
    if (timer == null && !closed && (session != null || !queue.isIdle())) {
      timer = loop.schedule(IDLE_CREDIT_NANOS, this::look);
    }
  }

  private void look() {
    timer = null;
    Session current = session;
    long since = now() - lastProgress;
    if (!queue.isIdle()) {
      if (since >= STALL_NANOS) {
        SluiceException stalled =
            new SluiceException(ErrorCode.TIMED_OUT, member + " answers no block");
        if (current != null) {
          current.abort(stalled);
          lost(current, stalled);
        } else {
          failAll(ErrorCode.TIMED_OUT);
        }
      }
    } else if (current != null && since >= IDLE_LINK_NANOS) {
      // What comes from now on gets a connection of its own.
      session = null;
      queue.disconnected();
      current.end();
    } else if (current != null && since >= IDLE_CREDIT_NANOS) {
      current.giveUpCredit(Long.MAX_VALUE);
    }
    watch();
  }

  /** One attempt to connect, and the link that may come of it. */
  private final class Session implements ClientSession {
    private final long since;
    private @Nullable ClientLink link;
    private boolean wasConnected;
    private boolean leaving;

    Session(long since) {
      this.since = since;
    }

    void pump() {
      ClientLink current = link;
      if (current == null || !isCurrent()) {
        return;
      }
      if (leaving) {
        queue.failPending(ErrorCode.SHUTTING_DOWN);
        if (!queue.hasUnanswered()) {
          current.close();
        }
        return;
      }
      queue.pump(current);
      current.flush();
    }

    void end() {
      ClientLink current = link;
      if (current != null) {
        leaving = true;
        current.close();
      }
    }

    void abort(SluiceException cause) {
      ClientLink current = link;
      if (current != null) {
        current.abort(cause);
      }
    }

    void giveUpCredit(long upTo) {
      ClientLink current = link;
      if (current != null) {
        queue.giveUpCredit(upTo, current);
        current.flush();
      }
    }

    private boolean isCurrent() {
      return session == this;
    }

    @Override
    public void connected(
        ClientLink newLink, ServerIdentity server, long seedCredit, int maxBlockBytes) {
      if (!isCurrent() || closed) {
        newLink.close();
        return;
      }
      link = newLink;
      wasConnected = true;
      queue.connected(seedCredit);
      progress();
      PeerLink.this.pump();
    }

    @Override
    public void acked(long first, int count, long refund) {
      answered(first, count, refund, null);
    }

    @Override
    public void nacked(long first, int count, long refund, ErrorCode code) {
      answered(first, count, refund, code);
    }

    private void answered(long first, int count, long refund, @Nullable ErrorCode refusal) {
      if (!isCurrent()) {
        return;
      }
      progress();
      triedAgain = false;
      try {
        queue.answered(first, count, refund, refusal);
      } catch (SluiceException violation) {
        abort(violation);
      }
    }

    @Override
    public void granted(long bytes) {
      if (isCurrent()) {
        queue.granted(bytes);
      }
    }

    @Override
    public void wantRefused(ErrorCode code) {
      if (isCurrent()) {
        queue.wantRefused(code);
      }
    }

    @Override
    public void reclaimed(long bytes) {
      if (isCurrent()) {
        giveUpCredit(bytes);
      }
    }

    @Override
    public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
      throw new IllegalStateException("nothing was asked for");
    }

    @Override
    public void streamEnded(int stream, long blocks, long bytes) {
      throw new IllegalStateException("nothing was asked for");
    }

    @Override
    public void streamFailed(int stream, ErrorCode code, String message) {
      throw new IllegalStateException("nothing was asked for");
    }

    @Override
    public void goingAway() {
      leaving = true;
    }

    @Override
    public void writable() {
      PeerLink.this.pump();
    }

    @Override
    public void readComplete() {
      PeerLink.this.pump();
    }

    @Override
    public void closed(SluiceException cause) {
      link = null;
      lost(this, cause);
    }
  }
}
