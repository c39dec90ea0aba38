package io.sluice.server.replication;

import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ReplicaMember;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What goes to one other server: a connection that is made when something waits, tried once more
 * when it breaks, and ended when nothing has gone for a while.
 *
 * <p>Patience is short, because whoever waits has another server to go to: silence of five seconds
 * ends the connection (its timeouts say so), and with it everything that waits. What comes during a
 * {@link Pause} after that is refused at once.
 *
 * <p>Shipments come from any thread through one queue with one wake-up; the rest happens on the
 * event loop.
 */
final class PeerLink implements ReplicaBatch.Carrier {
  private static final Logger log = LoggerFactory.getLogger(PeerLink.class);

  /**
   * A refusal that comes faster says that the process may just be restarting: worth a second try.
   */
  private static final long QUICK_NANOS = Duration.ofSeconds(1).toNanos();

  private static final long IDLE_CREDIT_NANOS = Duration.ofSeconds(2).toNanos();
  private static final long IDLE_LINK_NANOS = Duration.ofSeconds(30).toNanos();

  /**
   * A member that talks and takes nothing, be it because others have their turn there: longer than
   * a WANT waits by default where nobody is granted anything.
   */
  private static final long STALL_NANOS = Duration.ofSeconds(60).toNanos();

  private final PeerConnector connector;
  private final Scheduler loop;
  private final ReplicaStats stats;
  private final Runnable onKeptMore;
  private final ShipmentQueue queue;
  private final ConcurrentLinkedQueue<Shipment> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private final AtomicLong keptBytes = new AtomicLong();
  private final Pause pause = new Pause();
  private volatile boolean idle;

  // The event loop's.
  private ReplicaMember member;
  private @Nullable PeerSession session;
  private boolean triedAgain;
  private boolean closed;
  private long lastProgress;
  private Scheduler.@Nullable Cancellable timer;

  /**
   * @param onKeptMore called by any thread, without locks, when more is kept here or elsewhere
   */
  PeerLink(PeerConnector connector, ReplicaMember member, ReplicaStats stats, Runnable onKeptMore) {
    this.connector = connector;
    this.loop = connector.loop();
    this.member = member;
    this.stats = stats;
    this.onKeptMore = onKeptMore;
    this.queue = new ShipmentQueue(stats);
  }

  // ------------------------------------------------------------------------------- any thread

  /** Sends a batch there; the batch hears what came of it, if need be before this returns. */
  void send(ReplicaBatch batch, ReplicaMember to) {
    batch.carriedBy(this);
    inbox.add(new Shipment(batch, to, this, stats));
    if (woken.compareAndSet(false, true)) {
      execute(this::takeInbox);
    }
  }

  // A link's part is never smaller than what it is to the whole.
  @Override
  public void kept(long bytes) {
    if (bytes > 0) {
      keptBytes.addAndGet(bytes);
      stats.kept(bytes);
    } else {
      stats.kept(bytes);
      keptBytes.addAndGet(bytes);
    }
  }

  @Override
  public void keptMore() {
    onKeptMore.run();
  }

  /** Bytes that wait for this member alone. */
  long keptBytes() {
    return keptBytes.get();
  }

  /** Does something on the event loop of this link. */
  void onLoop(Runnable task) {
    execute(task);
  }

  /** Whether nothing goes there, nothing has for a while, and it may be tried; a glance. */
  boolean isIdle() {
    return idle && inbox.isEmpty() && pause.reason(now()) == null;
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
          PeerSession current = session;
          if (current != null) {
            current.end();
          }
          queue.failAll(ErrorCode.SHUTTING_DOWN);
          watch();
        });
  }

  private void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException ended) {
      // The process is about to end, and nobody can be told any more.
      woken.set(false);
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
        // Another process: how its forerunner fared is nothing against it.
        member = shipment.member();
        pause.reset();
      }
      ErrorCode refusal = closed ? ErrorCode.SHUTTING_DOWN : pause.reason(now());
      if (refusal != null) {
        shipment.fail(refusal);
      } else {
        queue.add(shipment);
      }
    }
    pump();
  }

  /** Sends what can be sent, or sees to it that there will be a connection. */
  void pump() {
    PeerSession current = session;
    if (current != null) {
      current.pump();
    } else if (!queue.isIdle() && !closed) {
      connect();
    }
    watch();
  }

  private void connect() {
    PeerSession next = new PeerSession(this, queue, now());
    session = next;
    connector.connect(loop, member, next);
  }

  boolean isClosed() {
    return closed;
  }

  boolean isCurrent(PeerSession asked) {
    return session == asked;
  }

  /** The member does what it is there for. */
  void works() {
    progress();
    triedAgain = false;
    pause.reset();
  }

  /** The member is too far behind the others of its sets, and counts as failed. */
  void lags() {
    takeInbox();
    fail(new SluiceException(ErrorCode.TIMED_OUT, member + " lags behind the others"));
  }

  /** Gives up what waits, and the connection; the next one comes after a pause. */
  private void fail(SluiceException cause) {
    PeerSession current = session;
    session = null;
    if (current != null) {
      current.abort(cause);
    }
    triedAgain = false;
    // Clients say where a member is: what comes of it must not fill a disk.
    log.debug("replicas for server {} go elsewhere", member.id(), cause);
    ErrorCode why = reason(cause.code());
    pause.begin(now(), why);
    queue.failAll(why);
    watch();
  }

  /** A connection has ended, or could not be made. */
  void lost(PeerSession ended, SluiceException cause) {
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
    fail(cause);
  }

  /** What ended a connection says nothing against the blocks that waited for it. */
  private static ErrorCode reason(ErrorCode ofConnection) {
    boolean otherwise =
        ofConnection == ErrorCode.CONNECTION_LOST || ofConnection.advice() == Advice.ABORT;
    return otherwise ? ErrorCode.CONNECT_FAILED : ofConnection;
  }

  private boolean isWorthASecondTry(PeerSession ended, SluiceException cause) {
    boolean refused =
        cause.code() == ErrorCode.CONNECT_FAILED && now() - ended.since() <= QUICK_NANOS;
    return cause.code() != ErrorCode.TIMED_OUT
        && cause.code().advice() != Advice.ABORT
        && (ended.wasConnected() || refused);
  }

  /** Something went forward just now. */
  void progress() {
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
    PeerSession current = session;
    long since = now() - lastProgress;
    if (!queue.isIdle()) {
      if (since >= STALL_NANOS) {
        fail(new SluiceException(ErrorCode.TIMED_OUT, member + " answers no block"));
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
}
