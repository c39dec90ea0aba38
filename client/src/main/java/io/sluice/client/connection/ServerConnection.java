package io.sluice.client.connection;

import io.sluice.client.ClientConfig;
import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.Advice;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientLink;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.push.HandleTable;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to one server, made when it is first needed and made again when it is lost and
 * still needed.
 *
 * <pre>
 *            demand                connected
 *   IDLE ──────────▶ CONNECTING ─────────────▶ CONNECTED
 *    ▲                ▲      │ closed              │ closed
 *    │ no demand,     │      ▼                     │
 *    └─ or given up ─ BACKING_OFF ◀────────────────┘        close(): CLOSED, from anywhere
 * </pre>
 *
 * <p>A server is given up after {@link ClientConfig#reconnectDeadline}, unless whoever makes
 * placements knows that it comes back: then it is tried for as long as that is the answer.
 *
 * <p>Frames come from task threads through one queue with one wake-up; everything else happens on
 * the event loop. What came in one read is answered in one write, at {@code readComplete}.
 */
public final class ServerConnection {
  private static final Logger log = LoggerFactory.getLogger(ServerConnection.class);

  private enum State {
    IDLE,
    CONNECTING,
    CONNECTED,
    BACKING_OFF,
    CLOSED
  }

  private final Connector connector;
  private final Scheduler loop;
  private final HandleTable handles = new HandleTable();
  private final PushPipe pushes = new PushPipe(handles);
  private final StreamTable streams = new StreamTable(handles);
  private final PushTimers timers;
  private final Reconnect reconnect;
  private final Comeback comeback;

  private final FrameInbox inbox = new FrameInbox();
  private final Destination destination;
  private volatile @Nullable ServerIdentity identity;
  private volatile boolean connected;
  private volatile boolean away;

  // The event loop's.
  private State state = State.IDLE;
  private @Nullable LinkSession session;

  ServerConnection(
      PlacedServer server, Connector connector, ClientConfig config, Placements placements) {
    this.destination = new Destination(server);
    this.connector = connector;
    this.loop = connector.loop();
    this.reconnect = new Reconnect(config.reconnectDeadline(), config.blockDeadline());
    this.comeback = new Comeback(reconnect, destination, placements, loop, new AfterFailure());
    this.timers = new PushTimers(loop, pushes, config, this::link, this::isAwaited, this::stalled);
  }

  // ------------------------------------------------------------------------------- any thread

  /** Where this connection leads, by the newest placement seen or as the server was last found. */
  public PlacedServer server() {
    return destination.server();
  }

  /**
   * Whether the server, as it last said who it is, still has everything that a life of it ever
   * acknowledged. False if it never spoke.
   */
  public boolean keeps(long incarnation) {
    ServerIdentity last = identity;
    return last != null && last.keeps(incarnation);
  }

  /** As whom the server last answered, if it has lost something that a life of it acknowledged. */
  public Optional<PlacedServer> laterLife(PlacedServer placed) {
    ServerIdentity last = identity;
    if (last == null
        || last.incarnation() <= placed.incarnation()
        || last.keeps(placed.incarnation())) {
      return Optional.empty();
    }
    return Optional.of(placed.inLife(last.incarnation()));
  }

  /**
   * Whether the server, as it last said, acknowledges what a majority of a replica set holds; else
   * what all members do.
   */
  public boolean majorityEnough() {
    ServerIdentity last = identity;
    return last != null && last.majorityEnough();
  }

  /** Whether the connection stands, so that {@link #keeps} is true now. */
  public boolean isConnected() {
    return connected;
  }

  /** Whether the last attempt to connect has failed: another server will do better. */
  public boolean isAway() {
    return away;
  }

  /**
   * Whether there is a reason to wait for the server that outlasts {@link
   * ClientConfig#blockDeadline}: it is about to stop, is known to come back, or has no room for
   * this connection. What waits is told when that ends.
   */
  public boolean isAwaited() {
    return reconnect.isAwaited();
  }

  /** The event loop that everything here happens on; it ends with the client. */
  public Scheduler loop() {
    return loop;
  }

  /** Sends a frame, which the connection owns from here. */
  public void push(PushFrame frame) {
    if (inbox.add(frame) && !execute(this::takeInbox)) {
      inbox.refuseAll(clientClosed());
    }
  }

  /** Frees the unsent frames of owners that have been abandoned. */
  public void dropAbandoned() {
    execute(
        () -> {
          takeInbox();
          pushes.dropAllAbandoned();
        });
  }

  /**
   * Begins a stream; its sink hears how it goes.
   *
   * @param credit bytes that the server may send at first
   */
  public FetchStream fetch(StreamSpec spec, StreamSink sink, long credit) {
    FetchStream stream = new FetchStream(this, spec, sink, credit);
    boolean accepted =
        execute(
            () -> {
              if (state == State.CLOSED) {
                sink.failed(clientClosed());
              } else if (!stream.isDone()) {
                sink.began(stream);
                streams.add(stream);
                if (state == State.BACKING_OFF && reconnect.failedAgain()) {
                  sink.troubled();
                }
                pump();
              }
            });
    if (!accepted) {
      sink.failed(clientClosed());
    }
    return stream;
  }

  /** A later placement names the server: it may have moved. */
  void seenAt(PlacedServer newer) {
    destination.seen(newer);
  }

  /** Gives up everything and closes. */
  void close() {
    if (!execute(this::closeNow)) {
      inbox.refuseAll(clientClosed());
    }
  }

  /** Runs something on the event loop; false if the loops have ended with the client. */
  public boolean execute(Runnable task) {
    try {
      loop.execute(task);
      return true;
    } catch (RejectedExecutionException closed) {
      return false;
    }
  }

  private static SluiceException clientClosed() {
    return new SluiceException(ErrorCode.CANCELLED, "the client is closed");
  }

  // ---------------------------------------------------------------------------- the event loop

  private @Nullable ClientLink link() {
    LinkSession current = session;
    return current == null ? null : current.link();
  }

  private void takeInbox() {
    if (state != State.CLOSED && pushes.isIdle()) {
      timers.progress();
    }
    inbox.takeAll(this::take);
    if (state != State.CLOSED) {
      pump();
    }
  }

  private void take(PushFrame frame) {
    if (state != State.CLOSED) {
      pushes.add(frame);
    } else {
      frame.owner().failed(clientClosed());
      frame.release();
    }
  }

  /** Sends what can be sent, or sees to it that there will be a connection. */
  void pump() {
    LinkSession current = session;
    if (current != null) {
      current.pump();
    } else if (state == State.IDLE && hasDemand()) {
      connect();
    } else if (state == State.BACKING_OFF && reconnect.failedAgain()) {
      // Somebody else waits for it, a reader perhaps; blocks that come now need not find out again.
      pushes.handBackAll(ErrorCode.CONNECT_FAILED, "cannot be reached");
    }
    timers.set();
  }

  private boolean hasDemand() {
    return !pushes.isIdle() || !streams.isIdle();
  }

  private void connect() {
    state = State.CONNECTING;
    connector.connect(
        loop, destination.next(), new LinkSession(this, pushes, streams, timers, reconnect));
  }

  boolean isClosed() {
    return state == State.CLOSED;
  }

  /** There is a link, to the right server. */
  void established(LinkSession newSession, ServerIdentity newIdentity) {
    session = newSession;
    state = State.CONNECTED;
    identity = newIdentity;
    connected = true;
    away = false;
    reconnect.connected();
  }

  /** The link is gone, or the attempt to make one has failed. */
  void lost(boolean wasConnected, SluiceException cause) {
    connected = false;
    away = !wasConnected;
    session = null;
    handles.clear();
    pushes.disconnected();
    if (wasConnected) {
      log.debug("connection to server {} lost", server(), cause);
      streams.disconnected(
          new SluiceException(
              cause.code().advice() == Advice.ABORT ? cause.code() : ErrorCode.CONNECTION_LOST,
              "connection to server " + server() + " lost: " + cause.getMessage(),
              cause));
    }
    if (state == State.CLOSED) {
      return;
    }
    state = State.IDLE;
    if (!hasDemand()) {
      comeback.reset();
      return;
    }
    Setback setback = setback(wasConnected, cause.code());
    long delay = comeback.isFinal(cause.code()) ? -1 : reconnect.failed(now(), setback);
    if (reconnect.failedAgain()) {
      pushes.handBackAll(cause.code(), "cannot be reached: " + cause.getMessage());
      streams.troubled();
    }
    if (hasDemand()) {
      state = State.BACKING_OFF;
      comeback.after(setback, cause, delay);
    } else {
      comeback.reset();
    }
  }

  private static Setback setback(boolean wasConnected, ErrorCode code) {
    if (wasConnected) {
      return Setback.CONNECTION_LOST;
    }
    return code.blame() == Blame.CAPACITY ? Setback.NO_ROOM : Setback.ATTEMPT_FAILED;
  }

  /** What becomes of a connection that is BACKING_OFF. */
  private final class AfterFailure implements Comeback.Outcome {
    @Override
    public void tryAgain() {
      if (state != State.BACKING_OFF) {
        return;
      }
      state = State.IDLE;
      if (hasDemand()) {
        connect();
      } else {
        comeback.reset();
      }
    }

    @Override
    public void giveUp(SluiceException cause) {
      if (state == State.BACKING_OFF) {
        state = State.IDLE;
        giveUpNow(cause);
      }
    }
  }

  private void giveUpNow(SluiceException cause) {
    log.warn("giving server {} up: {}", server(), cause.getMessage());
    ErrorCode code =
        cause.code() == ErrorCode.CONNECTION_LOST ? ErrorCode.CONNECT_FAILED : cause.code();
    comeback.reset();
    pushes.handBackAll(code, "cannot be reached: " + cause.getMessage());
    pushes.failAll(code, "cannot be reached: " + cause.getMessage());
    streams.giveUpAll(
        new SluiceException(
            code, "server " + server() + " cannot be reached: " + cause.getMessage(), cause));
  }

  private void closeNow() {
    state = State.CLOSED;
    timers.stop();
    inbox.refuseAll(clientClosed());
    LinkSession current = session;
    if (current != null) {
      current.ignoreAnswers();
    }
    pushes.failAll(ErrorCode.CANCELLED, "is not needed any more: the client is closed");
    streams.giveUpAll(clientClosed());
    if (current != null) {
      current.close();
    }
  }

  private long now() {
    return loop.clock().nanoTime();
  }

  /** The server has answered nothing for too long; its blocks were failed already. */
  private void stalled(SluiceException cause) {
    LinkSession current = session;
    if (current != null) {
      current.ignoreAnswers();
      current.abort(cause);
    }
  }

  // ----------------------------------------------------------------------------------- streams

  void fetchCredit(FetchStream stream, long bytes) {
    ClientLink current = link();
    if (current != null && stream.number() >= 0 && !stream.isDone()) {
      current.fetchCredit(stream.number(), bytes);
    }
  }

  void flush() {
    ClientLink current = link();
    if (current != null) {
      current.flush();
    }
  }

  void damaged(FetchStream stream, DamagedBlock block) {
    ClientLink current = link();
    if (current != null && current == stream.link()) {
      current.damaged(stream.number(), block);
      current.flush();
    }
  }

  void fetchCancel(FetchStream stream) {
    ClientLink current = link();
    streams.cancel(stream, current);
    if (current != null) {
      current.flush();
      pump();
    }
  }
}
