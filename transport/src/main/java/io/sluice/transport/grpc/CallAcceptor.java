package io.sluice.transport.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.transport.ConnectionCount.Newcomer;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ServerConnections;
import io.sluice.transport.session.ServerProtocol;
import io.sluice.transport.session.ServerSettings;
import io.sluice.transport.tls.ChannelBinding;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes a connection of each call that arrives. Called on the event loop of the call. */
final class CallAcceptor implements ServerCallHandler<InputStream, InputStream> {
  private final EventLoops loops;
  private final Transports transports;
  private final ServerConnections connections;
  private final Scratches scratches;
  private final ServerSettings settings;
  private final ServerSessionFactory sessions;

  /** What the connections of a listener run in. */
  static final class Surroundings {
    private final EventLoops loops;
    private final Transports transports;
    private final ServerConnections connections;

    Surroundings(EventLoops loops, Transports transports, ServerConnections connections) {
      this.loops = loops;
      this.transports = transports;
      this.connections = connections;
    }
  }

  CallAcceptor(Surroundings surroundings, ServerSettings settings, ServerSessionFactory sessions) {
    this.loops = surroundings.loops;
    this.transports = surroundings.transports;
    this.connections = surroundings.connections;
    this.scratches = new Scratches(loops);
    this.settings = settings;
    this.sessions = sessions;
  }

  @Override
  public ServerCall.Listener<InputStream> startCall(
      ServerCall<InputStream, InputStream> call, Metadata headers) {
    SocketAddress peer = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    Transports.Transport transport = transports.of(peer);
    if (peer == null || transport == null) {
      return refuse(call);
    }
    Answerer answerer = new Answerer(call, transport);
    Newcomer first = transport.ofFirstCall();
    Newcomer newcomer = first != null ? first : connections.newcomer(peer, answerer::itsTurn);
    if (newcomer == null) {
      return refuse(call);
    }
    answerer.enter(newcomer, first != null || newcomer.beginsAtOnce());
    return answerer;
  }

  private static ServerCall.Listener<InputStream> refuse(
      ServerCall<InputStream, InputStream> call) {
    call.close(
        Status.UNAVAILABLE.withDescription("no more connections are taken now"), new Metadata());
    return new ServerCall.Listener<>() {};
  }

  /**
   * What gRPC tells about a call, which waits until others of its address have been let in or are
   * gone: until then no message is asked for.
   */
  @SuppressWarnings("FutureReturnValueIgnored") // Tasks of the loop report their failures there.
  private final class Answerer extends ServerCall.Listener<InputStream> {
    private final ServerCall<InputStream, InputStream> call;
    private final Transports.Transport transport;
    private final AnswererEnd end;
    private @Nullable Newcomer newcomer;
    private @Nullable ScheduledFuture<?> deadline;
    // Of a call that has begun.
    private @Nullable ServerProtocol protocol;
    private @Nullable CallDriver driver;

    Answerer(ServerCall<InputStream, InputStream> call, Transports.Transport transport) {
      this.call = call;
      this.transport = transport;
      this.end = new AnswererEnd(call, transport, settings.timeouts().closeNanos());
    }

    /**
     * @param atOnce whether it need not wait
     */
    void enter(Newcomer entering, boolean atOnce) {
      newcomer = entering;
      if (atOnce) {
        begin(entering);
      } else {
        deadline =
            transport
                .loop()
                .schedule(this::giveUp, settings.timeouts().lineNanos(), TimeUnit.NANOSECONDS);
      }
    }

    /** Behind {@link #enter}, which is the same loop's; any thread. */
    void itsTurn() {
      transport.loop().execute(this::leaveLine);
    }

    private void leaveLine() {
      if (newcomer != null && deadline != null && deadline.cancel(false)) {
        begin(newcomer);
      }
    }

    /** Tells it why, as over sockets. */
    private void giveUp() {
      if (newcomer != null) {
        newcomer.gone();
      }
      call.sendHeaders(new Metadata());
      call.sendMessage(new ByteArrayInputStream(connections.waitedInVain()));
      end.end();
    }

    private void begin(Newcomer beginning) {
      EventLoop loop = transport.loop();
      String peer = String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
      CallOutput output = new CallOutput(end, loop, loops.alloc(), peer, scratches.of(loop));
      ServerProtocol made =
          new ServerProtocol(
              settings,
              sessions,
              output,
              () -> {
                beginning.letIn();
                end.accepted();
              });
      protocol = made;
      driver = new CallDriver(made, output, loop, loops.clock());
      call.setOnReadyThreshold(ByteStream.READY_BYTES);
      call.sendHeaders(new Metadata());
      call.request(1);
      driver.start(settings.timeouts().tickNanos());
      connections.add(made, beginning);
    }

    @Override
    public void onMessage(InputStream message) {
      if (driver != null) {
        driver.received(message);
        call.request(1);
      }
    }

    @Override
    public void onReady() {
      if (driver != null) {
        driver.ready();
      }
    }

    /** The client's output has ended; as over sockets, that is its end. */
    @Override
    public void onHalfClose() {
      over(null);
      end.end();
    }

    @Override
    public void onComplete() {
      over(null);
      gone();
    }

    @Override
    public void onCancel() {
      over(Status.CANCELLED.asException());
      gone();
    }

    /** Whether it has begun or not. */
    private void over(@Nullable Throwable cause) {
      if (deadline != null) {
        deadline.cancel(false);
      }
      if (driver != null) {
        driver.over(cause);
      }
    }

    /** The call is over; again is harmless. */
    private void gone() {
      end.gone();
      if (protocol != null) {
        connections.remove(protocol);
      }
      if (newcomer != null) {
        newcomer.gone();
      }
    }
  }

  /** The server's end. */
  @SuppressWarnings("FutureReturnValueIgnored") // Tasks of the loop report their failures there.
  private static final class AnswererEnd implements CallEnd {
    private final ServerCall<InputStream, InputStream> call;
    private final Transports.Transport transport;
    private final long closeNanos;
    private @Nullable ScheduledFuture<?> deadline;
    private boolean working;
    private boolean stuck;
    private boolean closed;
    private boolean gone;

    AnswererEnd(
        ServerCall<InputStream, InputStream> call,
        Transports.Transport transport,
        long closeNanos) {
      this.call = call;
      this.transport = transport;
      this.closeNanos = closeNanos;
    }

    @Override
    public boolean isReady() {
      return call.isReady();
    }

    @Override
    public void send(InputStream message) {
      call.sendMessage(message);
    }

    @Override
    public byte[] binding() {
      return ChannelBinding.atServer(call.getAttributes().get(Grpc.TRANSPORT_ATTR_SSL_SESSION));
    }

    /** The client has been let in. */
    void accepted() {
      working = true;
      transport.works();
    }

    /** Its end is behind what was sent, which a peer that takes nothing never gets to. */
    @Override
    public void end() {
      if (!closed && !gone) {
        deadline = transport.loop().schedule(this::abort, closeNanos, TimeUnit.NANOSECONDS);
      }
      close(Status.OK);
    }

    @Override
    public void abort() {
      if (gone || stuck) {
        return;
      }
      close(Status.ABORTED.withDescription("connection dropped"));
      stuck = true;
      transport.isStuck();
      worksNoMore();
    }

    /** The call is over, and its stream with it. */
    void gone() {
      if (gone) {
        return;
      }
      gone = true;
      if (deadline != null) {
        deadline.cancel(false);
      }
      if (stuck) {
        transport.isFree();
      }
      worksNoMore();
    }

    private void worksNoMore() {
      if (working) {
        working = false;
        transport.worksNoMore();
      }
    }

    private void close(Status status) {
      if (!closed) {
        closed = true;
        call.close(status, new Metadata());
      }
    }
  }
}
