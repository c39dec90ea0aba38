package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.stub.StreamObserver;
import io.sluice.client.PlacedServer;
import io.sluice.common.config.HostPort;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.proto.control.v1.ServerEvent;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.control.v1.ServerState;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Coordinators on loopback whose streams the test writes, clients that watch them, and what their
 * listener has heard, in order. The clients' clock moves when the test says so; their pauses are
 * real.
 */
final class WatchFixture implements AutoCloseable {
  static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  static final ShuffleKey SHUFFLE = new ShuffleKey(APPLICATION, 5, 0);

  private static final long PATIENCE_SECONDS = 20;

  private final AtomicLong now = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final ThreadScheduler scheduler =
      new ThreadScheduler(
          "watch-test",
          new VirtualClock(),
          (thread, thrown) -> failure.compareAndSet(null, thrown));
  private final List<FakeCoordinator> coordinators = new ArrayList<>();
  private final List<CoordinatorClient> clients = new ArrayList<>();
  private final LinkedBlockingQueue<String> heard = new LinkedBlockingQueue<>();

  private final class VirtualClock implements Clock {
    @Override
    public long nanoTime() {
      return now.get();
    }

    @Override
    public long wallTimeMillis() {
      return Clock.system().wallTimeMillis();
    }
  }

  FakeCoordinator coordinator() {
    FakeCoordinator fake = new FakeCoordinator();
    coordinators.add(fake);
    return fake;
  }

  /** An application that is registered with whoever of these leads. */
  RegisteredApplication register(FakeCoordinator... among) {
    List<HostPort> addresses = Arrays.stream(among).map(FakeCoordinator::address).toList();
    CoordinatorClient client =
        new CoordinatorClient(
            new CoordinatorClientConfig(
                addresses, Duration.ofSeconds(PATIENCE_SECONDS), Duration.ofSeconds(5)),
            scheduler);
    clients.add(client);
    return client.registerApplication(
        new Registration(APPLICATION, "app-1", "ada", "spark", "0.1"));
  }

  /** So much time passes for the clients, at once. */
  void later(Duration time) {
    now.addAndGet(time.toNanos());
  }

  /** The next stream that a client opens. */
  static StreamObserver<ServerEvents> stream(FakeCoordinator coordinator)
      throws InterruptedException {
    StreamObserver<ServerEvents> stream =
        coordinator.watches.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(stream).as("a watch").isNotNull();
    return stream;
  }

  /** What the next of them asked for. */
  static WatchServersRequest request(FakeCoordinator coordinator) throws InterruptedException {
    while (true) {
      Object next = coordinator.calls.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertThat(next).as("a watch").isNotNull();
      if (next instanceof WatchServersRequest request) {
        return request;
      }
    }
  }

  static ServerEvents snapshot(long server, ServerState state) {
    return events(server, state).toBuilder().setSnapshot(true).build();
  }

  static ServerEvents events(long server, ServerState state) {
    return ServerEvents.newBuilder()
        .addServers(
            ServerEvent.newBuilder().setServer(FakeCoordinator.address(server, 1)).setState(state))
        .build();
  }

  static ServerEvents ofTerm(long term, ServerEvents events) {
    return events.toBuilder().setTerm(term).build();
  }

  static ServerEvents partial(ServerEvents events) {
    return events.toBuilder().setPartial(true).build();
  }

  /** What a listener hears next. */
  String heard() throws InterruptedException {
    String next = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(next).as("something of servers").isNotNull();
    return next;
  }

  /** Wants to hear of all servers. */
  ServerListener listener() {
    return new Recorder();
  }

  /** Wants to hear of those in use, which are one called "used". */
  ServerListener owner() {
    return new Owner();
  }

  private class Recorder implements ServerListener {
    @Override
    public void snapshot(List<ServerStatus> servers) {
      heard.add("snapshot " + text(servers));
    }

    @Override
    public void changed(ServerStatus server) {
      heard.add("changed " + text(server));
    }

    static String text(List<ServerStatus> servers) {
      return servers.stream().map(Recorder::text).toList().toString();
    }

    private static String text(ServerStatus status) {
      return status.server().host() + " " + status.state();
    }
  }

  private final class Owner extends Recorder {
    @Override
    public Optional<Collection<PlacedServer>> inUse() {
      return Optional.of(List.of(new PlacedServer(ServerId.of(7, 8), 1, "used", 1)));
    }

    @Override
    public void some(List<ServerStatus> servers) {
      heard.add("some " + text(servers));
    }
  }

  @Override
  public void close() {
    clients.forEach(CoordinatorClient::close);
    coordinators.forEach(FakeCoordinator::close);
    scheduler.close();
    assertThat(failure.get()).as("thrown on the client's thread").isNull();
  }
}
