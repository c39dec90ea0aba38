package io.sluice.client.control;

import static io.sluice.client.control.WatchFixture.SHUFFLE;
import static io.sluice.client.control.WatchFixture.events;
import static io.sluice.client.control.WatchFixture.ofTerm;
import static io.sluice.client.control.WatchFixture.partial;
import static io.sluice.client.control.WatchFixture.request;
import static io.sluice.client.control.WatchFixture.snapshot;
import static io.sluice.client.control.WatchFixture.stream;
import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import io.sluice.client.PlacedServer;
import io.sluice.common.id.ServerId;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.control.v1.ServerState;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A watch against coordinators that tell it what the test says, over loopback. */
class WatchContractTest {
  private static final Duration MINUTE = Duration.ofNanos(ServerWatch.OVERTAKEN_NANOS);

  private final WatchFixture fixture = new WatchFixture();
  private final FakeCoordinator leader = fixture.coordinator();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void opensABrokenWatchAgainAndDeliversTheNewSnapshot() throws InterruptedException {
    ServerWatch watch = fixture.register(leader).watchServers(fixture.listener());

    StreamObserver<ServerEvents> first = stream(leader);
    first.onNext(snapshot(1, ServerState.ACTIVE));
    first.onNext(events(1, ServerState.SUSPECT));
    first.onError(Status.UNAVAILABLE.asRuntimeException());
    stream(leader).onNext(snapshot(2, ServerState.ACTIVE));

    assertThat(fixture.heard()).isEqualTo("snapshot [server-1 ACTIVE]");
    assertThat(fixture.heard()).isEqualTo("changed server-1 SUSPECT");
    assertThat(fixture.heard()).isEqualTo("snapshot [server-2 ACTIVE]");
    watch.close();
  }

  @Test
  void tellsAServerWithoutDisksFromOneThatIsSilent() throws InterruptedException {
    fixture.register(leader).watchServers(fixture.listener());
    stream(leader).onNext(snapshot(1, ServerState.UNHEALTHY));
    assertThat(fixture.heard()).isEqualTo("snapshot [server-1 UNHEALTHY]");
  }

  @Test
  void saysThatNoCoordinatorIsHeardUntilOneIs() throws InterruptedException {
    BlockingQueue<String> order = new LinkedBlockingQueue<>();
    fixture
        .register(leader)
        .watchServers(
            new ServerListener() {
              @Override
              public void snapshot(List<ServerStatus> servers) {
                order.add("snapshot");
              }

              @Override
              public void changed(ServerStatus server) {
                order.add("changed");
              }

              @Override
              public void unheard() {
                order.add("unheard");
              }
            });

    StreamObserver<ServerEvents> first = stream(leader);
    first.onNext(snapshot(1, ServerState.ACTIVE));
    first.onError(Status.UNAVAILABLE.asRuntimeException());
    stream(leader).onNext(snapshot(2, ServerState.ACTIVE));

    assertThat(order.poll(1, TimeUnit.MINUTES)).isEqualTo("snapshot");
    assertThat(order.poll(1, TimeUnit.MINUTES)).isEqualTo("unheard");
    assertThat(order.poll(1, TimeUnit.MINUTES)).isEqualTo("snapshot");
  }

  @Test
  void namesTheServersInUseAndTakesThoseThatAreAbsentForLost() throws InterruptedException {
    fixture.register(leader).watchServers(fixture.owner());

    StreamObserver<ServerEvents> stream = stream(leader);
    WatchServersRequest request = request(leader);
    assertThat(request.getOwn()).isTrue();
    assertThat(request.getServersList()).extracting(Uuid::getLow).containsExactly(8L);
    stream.onNext(partial(snapshot(1, ServerState.ACTIVE)));
    stream.onNext(partial(events(1, ServerState.SUSPECT)));
    assertThat(fixture.heard()).isEqualTo("some [server-1 ACTIVE, used LOST]");
    assertThat(fixture.heard()).isEqualTo("changed server-1 SUSPECT");

    // A leader that does not know what was asked tells of all.
    stream.onError(Status.UNAVAILABLE.asRuntimeException());
    stream(leader).onNext(snapshot(2, ServerState.ACTIVE));
    assertThat(fixture.heard()).isEqualTo("snapshot [server-2 ACTIVE]");
  }

  @Test
  void beginsAnewForServersThatTheDriverMovedTo() throws InterruptedException {
    RegisteredApplication application = fixture.register(leader);
    application.watchServers(fixture.owner());
    StreamObserver<ServerEvents> first = stream(leader);
    request(leader);
    first.onNext(partial(ofTerm(5, snapshot(8, ServerState.ACTIVE))));
    assertThat(fixture.heard()).startsWith("some ");

    PlacedServer other = new PlacedServer(ServerId.of(9, 4), 1, "other", 1);
    application.moved(SHUFFLE, List.of(other));

    StreamObserver<ServerEvents> second = stream(leader);
    assertThat(request(leader).getServersList())
        .extracting(Uuid::getLow)
        .containsExactlyInAnyOrder(8L, 4L);
    second.onNext(partial(ofTerm(5, snapshot(8, ServerState.ACTIVE))));
    assertThat(fixture.heard()).contains("other LOST");
  }

  @Test
  void doesNotBelieveALeaderThatAnotherHasReplaced() throws InterruptedException {
    fixture.register(leader).watchServers(fixture.listener());
    StreamObserver<ServerEvents> first = stream(leader);
    first.onNext(ofTerm(5, snapshot(1, ServerState.LOST)));
    first.onError(Status.UNAVAILABLE.asRuntimeException());

    stream(leader).onNext(ofTerm(4, snapshot(1, ServerState.ACTIVE)));
    stream(leader).onNext(ofTerm(6, snapshot(2, ServerState.ACTIVE)));

    assertThat(fixture.heard()).isEqualTo("snapshot [server-1 LOST]");
    assertThat(fixture.heard()).isEqualTo("snapshot [server-2 ACTIVE]");
  }

  /** Terms begin anew when the registry is lost. */
  @Test
  void believesAnOlderTermAfterAMinuteOfNothingElse() throws InterruptedException {
    fixture.register(leader).watchServers(fixture.listener());
    StreamObserver<ServerEvents> first = stream(leader);
    first.onNext(ofTerm(5, snapshot(1, ServerState.LOST)));
    assertThat(fixture.heard()).isEqualTo("snapshot [server-1 LOST]");
    first.onError(Status.UNAVAILABLE.asRuntimeException());

    // What is not believed has the stream opened again.
    stream(leader).onNext(ofTerm(4, snapshot(1, ServerState.ACTIVE)));
    StreamObserver<ServerEvents> early = stream(leader);
    fixture.later(MINUTE.minusNanos(1));
    early.onNext(ofTerm(4, snapshot(1, ServerState.SUSPECT)));
    StreamObserver<ServerEvents> believed = stream(leader);
    fixture.later(Duration.ofNanos(1));
    believed.onNext(ofTerm(4, snapshot(2, ServerState.ACTIVE)));
    believed.onNext(ofTerm(4, events(2, ServerState.SUSPECT)));

    assertThat(fixture.heard()).isEqualTo("snapshot [server-2 ACTIVE]");
    assertThat(fixture.heard()).isEqualTo("changed server-2 SUSPECT");

    // Terms count from there on.
    believed.onNext(ofTerm(3, snapshot(3, ServerState.ACTIVE)));
    stream(leader).onNext(ofTerm(4, snapshot(4, ServerState.ACTIVE)));
    assertThat(fixture.heard()).isEqualTo("snapshot [server-4 ACTIVE]");
  }

  @Test
  void aWordOfTheLatestTermBeginsTheMinuteAnew() throws InterruptedException {
    fixture.register(leader).watchServers(fixture.listener());
    StreamObserver<ServerEvents> first = stream(leader);
    first.onNext(ofTerm(5, snapshot(1, ServerState.ACTIVE)));
    first.onError(Status.UNAVAILABLE.asRuntimeException());
    stream(leader).onNext(ofTerm(4, snapshot(2, ServerState.ACTIVE)));
    StreamObserver<ServerEvents> latest = stream(leader);
    fixture.later(MINUTE.minusNanos(1));
    latest.onNext(ofTerm(5, snapshot(3, ServerState.ACTIVE)));
    latest.onError(Status.UNAVAILABLE.asRuntimeException());

    StreamObserver<ServerEvents> older = stream(leader);
    fixture.later(Duration.ofSeconds(2));
    older.onNext(ofTerm(4, snapshot(4, ServerState.ACTIVE)));
    stream(leader).onNext(ofTerm(5, snapshot(5, ServerState.ACTIVE)));

    assertThat(fixture.heard()).isEqualTo("snapshot [server-1 ACTIVE]");
    assertThat(fixture.heard()).isEqualTo("snapshot [server-3 ACTIVE]");
    assertThat(fixture.heard()).isEqualTo("snapshot [server-5 ACTIVE]");
  }

  @Test
  void registersAgainWhenAWatchIsRefusedForThat() throws InterruptedException {
    RegisteredApplication application = fixture.register(leader);
    leader.knowsApplication = false;

    application.watchServers(fixture.listener());

    stream(leader);
    assertThat(leader.registrations.size()).isGreaterThanOrEqualTo(2);
  }

  @Test
  void followsToAnotherCoordinatorWhenTheLeaderDies() throws InterruptedException {
    FakeCoordinator heir = fixture.coordinator();
    RegisteredApplication application = fixture.register(leader, heir);
    application.watchServers(fixture.listener());
    stream(leader).onNext(snapshot(1, ServerState.ACTIVE));
    assertThat(fixture.heard()).isEqualTo("snapshot [server-1 ACTIVE]");

    leader.close();

    stream(heir).onNext(snapshot(1, ServerState.LOST));
    assertThat(fixture.heard()).isEqualTo("snapshot [server-1 LOST]");
    assertThat(application.createShuffle(SHUFFLE, 2, 0, List.of()).partitions()).isEqualTo(2);
  }
}
