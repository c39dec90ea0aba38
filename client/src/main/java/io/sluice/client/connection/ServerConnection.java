package io.sluice.client.connection;

import io.sluice.client.ClientConfig;
import io.sluice.client.PlacedServer;
import io.sluice.common.error.Advice;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.transport.ClientLink;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
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

  private final ConcurrentLinkedQueue<PushFrame> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();
  private volatile PlacedServer server;
  private volatile long incarnation = -1;
  private volatile boolean connected;

  // The event loop's.
  private State state = State.IDLE;
  private @Nullable ClientLink link;
  private boolean leaving;
  private boolean left;
  // Pushes were given up while the connection still ends: what it says of them is old news.
  private boolean ignoresAnswers;

  ServerConnection(PlacedServer server, Connector connector, ClientConfig config) {
    this.server = server;
    this.connector = connector;
    this.loop = connector.loop();
    this.timers = new PushTimers(loop, pushes, config, () -> link, this::stalled);
    this.reconnect = new Reconnect(config.reconnectDeadline());
  }

  // ------------------------------------------------------------------------------- any thread

  /** Where this connection leads, by the newest placement seen. */
  public PlacedServer server() {
    return server;
  }

  /** The incarnation that the server last said it is, or -1 if it never spoke. */
  public long incarnation() {
    return incarnation;
  }

  /** Whether the connection stands, so that {@link #incarnation} is true now. */
  public boolean isConnected() {
    return connected;
  }

  /** The event loop that everything here happens on; it ends with the client. */
  public Scheduler loop() {
    return loop;
  }

  /** Sends a frame, which the connection owns from here. */
  public void push(PushFrame frame) {
    inbox.add(frame);
    if (woken.compareAndSet(false, true) && !execute(this::takeInbox)) {
      refuseInbox();
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
  public FetchStream fetch(FetchSpec spec, StreamSink sink, long credit) {
    FetchStream stream = new FetchStream(this, spec, sink, credit);
    boolean accepted =
        execute(
            () -> {
              if (state == State.CLOSED) {
                sink.failed(clientClosed());
              } else if (!stream.isDone()) {
                sink.began(stream);
                streams.add(stream);
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
    if (newer.incarnation() > server.incarnation()) {
      server = newer;
    }
  }

  /** Gives up everything and closes. */
  void close() {
    if (!execute(this::closeNow)) {
      refuseInbox();
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

  /** Frames that came when the loops had ended. */
  private void refuseInbox() {
    PushFrame frame;
    while ((frame = inbox.poll()) != null) {
      frame.owner().failed(clientClosed());
      frame.release();
    }
  }

  private static SluiceException clientClosed() {
    return new SluiceException(ErrorCode.CANCELLED, "the client is closed");
  }

  // ---------------------------------------------------------------------------- the event loop

  private void takeInbox() {
    woken.set(false);
    if (state == State.CLOSED) {
      refuseInbox();
      return;
    }
    if (pushes.isIdle()) {
      timers.progress();
    }
    PushFrame frame;
    while ((frame = inbox.poll()) != null) {
      pushes.add(frame);
    }
    pump();
  }

  /** Sends what can be sent, or sees to it that there will be a connection. */
  private void pump() {
    ClientLink current = link;
    if (current == null) {
      if (state == State.IDLE && hasDemand()) {
        connect();
      }
    } else if (leaving) {
      if (!left && !pushes.hasUnanswered() && !streams.hasOpen()) {
        left = true;
        current.close();
      }
    } else {
      streams.pump(current);
      pushes.pump(current);
      current.flush();
    }
    timers.set();
  }

  private boolean hasDemand() {
    return !pushes.isIdle() || !streams.isIdle();
  }

  private void connect() {
    state = State.CONNECTING;
    connector.connect(loop, server, new Session());
  }

  private void lost(SluiceException cause) {
    boolean wasConnected = link != null;
    connected = false;
    link = null;
    leaving = false;
    left = false;
    ignoresAnswers = false;
    handles.clear();
    pushes.disconnected();
    if (wasConnected) {
      log.debug("connection to server {} lost", server, cause);
      streams.disconnected(
          new SluiceException(
              cause.code().advice() == Advice.ABORT ? cause.code() : ErrorCode.CONNECTION_LOST,
              "connection to server " + server + " lost: " + cause.getMessage(),
              cause));
    }
    if (state == State.CLOSED) {
      return;
    }
    state = State.IDLE;
    if (!hasDemand()) {
      reconnect.reset();
      return;
    }
    long delay = cause.code().advice() == Advice.ABORT ? -1 : reconnect.failed(now());
    if (delay < 0) {
      giveUp(cause);
    } else {
      state = State.BACKING_OFF;
      loop.schedule(delay, this::connectAgain);
    }
  }

  private void connectAgain() {
    if (state != State.BACKING_OFF) {
      return;
    }
    state = State.IDLE;
    if (hasDemand()) {
      connect();
    } else {
      reconnect.reset();
    }
  }

  private void giveUp(SluiceException cause) {
    log.warn("giving server {} up: {}", server, cause.getMessage());
    ErrorCode code =
        cause.code() == ErrorCode.CONNECTION_LOST ? ErrorCode.CONNECT_FAILED : cause.code();
    reconnect.reset();
    pushes.failAll(code, "cannot be reached: " + cause.getMessage());
    streams.failAll(
        new SluiceException(
            code, "server " + server + " cannot be reached: " + cause.getMessage(), cause));
  }

  private void closeNow() {
    state = State.CLOSED;
    timers.stop();
    refuseInbox();
    ignoresAnswers = link != null;
    pushes.failAll(ErrorCode.CANCELLED, "is not needed any more: the client is closed");
    streams.failAll(clientClosed());
    ClientLink current = link;
    if (current != null) {
      current.close();
    }
  }

  private long now() {
    return loop.clock().nanoTime();
  }

  /** The server answered for blocks: it works. */
  private void progress() {
    timers.progress();
    reconnect.reset();
  }

  /** The server has answered nothing for too long; its blocks were failed already. */
  private void stalled(SluiceException cause) {
    ClientLink current = link;
    if (current != null) {
      ignoresAnswers = true;
      current.abort(cause);
    }
  }

  // ----------------------------------------------------------------------------------- streams

  void fetchCredit(FetchStream stream, long bytes) {
    ClientLink current = link;
    if (current != null && stream.number() >= 0 && !stream.isDone()) {
      current.fetchCredit(stream.number(), bytes);
    }
  }

  void flush() {
    ClientLink current = link;
    if (current != null) {
      current.flush();
    }
  }

  void fetchCancel(FetchStream stream) {
    ClientLink current = link;
    streams.cancel(stream, current);
    if (current != null) {
      current.flush();
      pump();
    }
  }

  /** What the server says. One per attempt to connect. */
  private final class Session implements ClientSession {
    @Override
    public void connected(
        ClientLink newLink, ServerIdentity identity, long seedCredit, int maxBlockBytes) {
      if (state == State.CLOSED) {
        newLink.close();
        return;
      }
      if (!identity.id().equals(server.id())) {
        newLink.abort(
            new SluiceException(
                ErrorCode.WRONG_SERVER, "meant " + server + ", found server " + identity));
        return;
      }
      link = newLink;
      ignoresAnswers = false;
      state = State.CONNECTED;
      incarnation = identity.incarnation();
      connected = true;
      pushes.connected(seedCredit, identity.incarnation(), maxBlockBytes);
      timers.progress();
      pump();
    }

    @Override
    public void acked(long first, int count, long refund) {
      if (ignoresAnswers) {
        return;
      }
      progress();
      try {
        pushes.acked(first, count, refund);
      } catch (SluiceException violation) {
        abort(violation);
      }
    }

    @Override
    public void nacked(long first, int count, long refund, ErrorCode code) {
      if (ignoresAnswers) {
        return;
      }
      progress();
      try {
        pushes.nacked(first, count, refund, code);
      } catch (SluiceException violation) {
        abort(violation);
      }
    }

    private void abort(SluiceException violation) {
      ClientLink current = link;
      if (current != null) {
        current.abort(violation);
      }
    }

    @Override
    public void granted(long bytes) {
      // Not a sign that blocks get through: a server may grant, then break at the first block.
      timers.progress();
      pushes.granted(bytes);
    }

    @Override
    public void wantRefused(ErrorCode code) {
      pushes.wantRefused(code, leaving);
    }

    @Override
    public void reclaimed(long bytes) {
      ClientLink current = link;
      if (current != null) {
        pushes.giveUpCredit(bytes, current);
      }
    }

    @Override
    public void data(int stream, int partition, ByteBuffer bytes, int offset, int length) {
      ClientLink current = link;
      if (current != null) {
        reconnect.reset();
        streams.data(stream, partition, bytes, offset, length, current);
      }
    }

    @Override
    public void streamEnded(int stream, long blocks, long bytes) {
      reconnect.reset();
      streams.ended(stream, blocks);
    }

    @Override
    public void streamFailed(int stream, ErrorCode code, String message) {
      reconnect.reset();
      streams.failed(stream, code, message);
    }

    @Override
    public void goingAway() {
      leaving = true;
    }

    @Override
    public void writable() {
      pump();
    }

    @Override
    public void readComplete() {
      streams.readComplete();
      pump();
    }

    @Override
    public void closed(SluiceException cause) {
      lost(cause);
    }
  }
}
