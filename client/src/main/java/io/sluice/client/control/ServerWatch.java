package io.sluice.client.control;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.sluice.client.PlacedServer;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.ServerEvent;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A stream of server events that is opened again whenever it breaks, until it is closed. */
public final class ServerWatch implements AutoCloseable {
  /** So long a leader of an older term is not believed: ten times what its session lasts. */
  static final long OVERTAKEN_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final Logger log = LoggerFactory.getLogger(ServerWatch.class);

  private final LeaderCalls calls;
  private final WatchServersRequest request;
  private final OwnServers own = new OwnServers();
  private final Supplier<CompletionStage<?>> registerAgain;
  private final ServerListener listener;
  private final Backoff backoff = Backoff.patient();
  // The highest that a placement or a message named. A leader that is overtaken says so within
  // seconds; if only older ones are heard for long, terms are counted anew: the registry was lost.
  private final AtomicLong highestTerm = new AtomicLong();
  private long overtakenSince;
  private boolean overtaken;
  private @Nullable ClientCall<WatchServersRequest, ServerEvents> stream;
  private @Nullable Cancellable pending;
  private boolean broken;
  private boolean closed;

  ServerWatch(
      LeaderCalls calls,
      WatchServersRequest request,
      Supplier<CompletionStage<?>> registerAgain,
      ServerListener listener) {
    this.calls = calls;
    this.request = request;
    this.registerAgain = registerAgain;
    this.listener = listener;
  }

  /** On the scheduler's thread, as everything private. */
  void open() {
    if (closed) {
      return;
    }
    HostPort coordinator = calls.guess().current();
    ClientCall<WatchServersRequest, ServerEvents> next;
    try {
      next =
          calls.begin(
              coordinator, ApplicationServiceGrpc.getWatchServersMethod(), CallOptions.DEFAULT);
    } catch (SluiceException e) {
      closed = true;
      return;
    }
    stream = next;
    ClientCalls.asyncServerStreamingCall(next, request(), new Events(coordinator, next));
  }

  private boolean lacks() {
    return listener.inUse().filter(own::lacks).isPresent();
  }

  private WatchServersRequest request() {
    Optional<Collection<PlacedServer>> inUse = listener.inUse();
    if (!inUse.isPresent()) {
      own.beginAll();
      return request;
    }
    WatchServersRequest.Builder named = request.toBuilder();
    own.begin(inUse.get(), named);
    return named.build();
  }

  /**
   * A shuffle of the application was given servers. Thread-safe.
   *
   * @param term of the leader that did, 0 if it does not say or the driver itself did
   */
  void placed(ShuffleKey shuffle, Collection<PlacedServer> servers, long term) {
    highestTerm.accumulateAndGet(term, Math::max);
    if (own.placed(shuffle, servers, term)) {
      calls.scheduler().execute(this::openAnewIfStillLacking);
    }
  }

  /** A shuffle was removed. Thread-safe. */
  void removed(ShuffleKey shuffle) {
    own.removed(shuffle);
  }

  private void openAnewIfStillLacking() {
    if (own.lacksGiven()) {
      openAnew();
    }
  }

  private void openAnew() {
    ClientCall<WatchServersRequest, ServerEvents> before = stream;
    if (before != null) {
      open();
      before.cancel("servers of another leader's placement are to be watched too", null);
    }
  }

  /** Whether the message is of a leader that another has replaced: what it says may be wrong. */
  private boolean isOfAnOlderLeader(long term) {
    if (term == 0 || term >= highestTerm.get()) {
      if (term != 0) {
        highestTerm.accumulateAndGet(term, Math::max);
        overtaken = false;
      }
      return false;
    }
    long now = calls.scheduler().clock().nanoTime();
    if (!overtaken) {
      overtaken = true;
      overtakenSince = now;
    }
    if (now - overtakenSince < OVERTAKEN_NANOS) {
      return true;
    }
    log.warn("terms are counted anew: term {} after {}", term, highestTerm.get());
    highestTerm.set(term);
    overtaken = false;
    return false;
  }

  private void received(ServerEvents events) {
    if (broken) {
      broken = false;
      log.info("watching servers again");
    }
    backoff.reset();
    List<ServerStatus> servers = new ArrayList<>(events.getServersCount());
    for (ServerEvent event : events.getServersList()) {
      servers.add(ControlMessages.status(event));
    }
    if (!events.getPartial()) {
      own.heardOfAll();
    } else if (own.heard(events.getTerm(), servers) || (events.getSnapshot() && lacks())) {
      openAnew();
      return;
    }
    if (!events.getSnapshot()) {
      servers.forEach(listener::changed);
    } else if (events.getPartial()) {
      listener.some(own.whole(servers));
    } else {
      listener.snapshot(servers);
    }
  }

  private void broke(HostPort coordinator, Throwable failure) {
    stream = null;
    if (closed) {
      return;
    }
    listener.unheard();
    if (!broken) {
      broken = true;
      log.info("the stream of server events broke, opening it again: {}", failure.getMessage());
    }
    boolean unknown =
        ControlFailures.refusal(failure)
            .filter(refusal -> refusal.code() == ErrorCode.UNKNOWN_APPLICATION)
            .isPresent();
    if (unknown) {
      registerAgain.get().whenComplete((registered, ignored) -> openLater());
    } else {
      calls.learn(coordinator, failure);
      openLater();
    }
  }

  private void openLater() {
    pending = calls.scheduler().schedule(backoff.next(), this::open);
  }

  /** No event is delivered once this has taken effect, which is soon. Idempotent. */
  @Override
  public void close() {
    calls.scheduler().execute(this::stop);
  }

  private void stop() {
    closed = true;
    if (pending != null) {
      pending.cancel();
    }
    if (stream != null) {
      stream.cancel("the watch was closed", null);
    }
  }

  /** One stream. */
  private final class Events implements StreamObserver<ServerEvents> {
    private final HostPort coordinator;
    private final ClientCall<WatchServersRequest, ServerEvents> call;

    Events(HostPort coordinator, ClientCall<WatchServersRequest, ServerEvents> call) {
      this.coordinator = coordinator;
      this.call = call;
    }

    @Override
    public void onNext(ServerEvents events) {
      if (closed || stream != call) {
        return;
      }
      if (isOfAnOlderLeader(events.getTerm())) {
        broke(
            coordinator,
            new SluiceException(
                ErrorCode.NOT_LEADER, "term " + events.getTerm() + " is not the latest"));
        call.cancel("another leads", null);
      } else {
        received(events);
      }
    }

    @Override
    public void onError(Throwable failure) {
      if (stream == call) {
        broke(coordinator, failure);
      }
    }

    @Override
    public void onCompleted() {
      onError(new SluiceException(ErrorCode.CONNECTION_LOST, "the stream ended"));
    }
  }
}
