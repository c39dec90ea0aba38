package io.sluice.transport.grpc;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.Status;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.session.ServerConnections;
import io.sluice.transport.session.ServerProtocol;
import io.sluice.transport.session.ServerSettings;
import io.sluice.transport.tls.ChannelBinding;
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
    if (transport != null) {
      transport.hasSpoken();
    }
    Runnable letIn = peer == null ? null : connections.newcomer(peer);
    if (peer == null || letIn == null || transport == null || connections.isFull()) {
      if (letIn != null) {
        letIn.run();
      }
      String why =
          peer != null && letIn == null ? connections.tooManyNewcomers() : "no place is free";
      call.close(Status.UNAVAILABLE.withDescription(why), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    EventLoop loop = transport.loop();
    AnswererEnd end = new AnswererEnd(call, transport, settings.timeouts().closeNanos());
    CallOutput output =
        new CallOutput(end, loop, loops.alloc(), peer.toString(), scratches.of(loop));
    ServerProtocol protocol =
        new ServerProtocol(
            settings,
            sessions,
            output,
            () -> {
              letIn.run();
              end.accepted();
            });
    CallDriver driver = new CallDriver(protocol, output, loop, loops.clock());
    call.setOnReadyThreshold(ByteStream.READY_BYTES);
    call.sendHeaders(new Metadata());
    call.request(1);
    driver.start(settings.timeouts().tickNanos());
    connections.add(protocol);
    return new Answerer(
        call,
        driver,
        end,
        () -> {
          letIn.run();
          end.gone();
          connections.remove(protocol);
        });
  }

  /** What gRPC tells about a call. */
  private static final class Answerer extends ServerCall.Listener<InputStream> {
    private final ServerCall<InputStream, InputStream> call;
    private final CallDriver driver;
    private final CallEnd end;
    private final Runnable gone;

    Answerer(
        ServerCall<InputStream, InputStream> call, CallDriver driver, CallEnd end, Runnable gone) {
      this.call = call;
      this.driver = driver;
      this.end = end;
      this.gone = gone;
    }

    @Override
    public void onMessage(InputStream message) {
      driver.received(message);
      call.request(1);
    }

    @Override
    public void onReady() {
      driver.ready();
    }

    /** The client's output has ended; as over sockets, that is its end. */
    @Override
    public void onHalfClose() {
      driver.over(null);
      end.end();
    }

    @Override
    public void onComplete() {
      driver.over(null);
      gone.run();
    }

    @Override
    public void onCancel() {
      driver.over(Status.CANCELLED.asException());
      gone.run();
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
