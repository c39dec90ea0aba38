package io.sluice.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.ApplicationUsers;
import io.sluice.proto.control.v1.ApplicationsReturned;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.Leader;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerWelcome;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.UserApplications;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.error.ErrorTrailer;
import io.sluice.server.World;
import io.sluice.server.security.KnownVerifiers;
import io.sluice.server.user.KnownUsers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ControlSessionTest {
  private static final HostPort A = new HostPort("a", 1);
  private static final HostPort B = new HostPort("b", 2);
  private static final HostPort C = new HostPort("c", 3);
  private static final long SECOND = 1_000_000_000L;

  private final World world = new World(1);
  private final List<FakeStream> streams = new ArrayList<>();
  private final List<String> done = new ArrayList<>();
  private final List<KnownUsers> told = new ArrayList<>();
  private final CompletableFuture<Void> settled = new CompletableFuture<>();
  private int partitions;
  private int refusals;
  private final ControlSession session =
      new ControlSession(List.of(A, B), new Connector(), new Handler(), world);

  private FakeStream latest() {
    return streams.get(streams.size() - 1);
  }

  private void start() {
    session.start();
    world.settle();
  }

  private static ServerDirective welcome(long intervalMillis) {
    return ServerDirective.newBuilder()
        .setWelcome(
            ServerWelcome.newBuilder().setTerm(1).setHeartbeatIntervalMillis(intervalMillis))
        .build();
  }

  private void deliver(ServerDirective directive) {
    latest().listener.directive(directive);
    world.settle();
  }

  private void fail(Throwable reason) {
    latest().listener.ended(reason);
    world.settle();
  }

  private static Throwable notLeader(String leader) {
    return ErrorTrailer.toException(
        Status.Code.FAILED_PRECONDITION,
        ErrorDetail.newBuilder().setCode(ErrorCode.NOT_LEADER.number()).setLeader(leader).build());
  }

  @Test
  void saysHelloThenReportsAtTheIntervalGiven() {
    start();
    assertThat(latest().to).isEqualTo(A);
    assertThat(latest().sent).hasSize(1);
    assertThat(latest().sent.get(0).hasHello()).isTrue();
    assertThat(session.admitted()).isFalse();
    deliver(welcome(200));
    assertThat(session.admitted()).isTrue();
    world.advance(SECOND);
    assertThat(latest().sent).hasSize(6);
    assertThat(latest().sent.get(5).hasHello()).isFalse();
    assertThat(latest().sent.get(5).getLoad().getConnections()).isEqualTo(9);
  }

  @Test
  void leavesReportsOutWhileTheStreamIsFull() {
    start();
    deliver(welcome(200));
    latest().ready = false;
    world.advance(SECOND);
    assertThat(latest().sent).hasSize(1);
  }

  @Test
  void followsTheLeaderThatACoordinatorNames() {
    start();
    fail(notLeader("c:3"));
    world.advance(SECOND);
    assertThat(latest().to).isEqualTo(C);
    deliver(welcome(1000));
    assertThat(session.admitted()).isTrue();
  }

  @Test
  void asksWhoIsNamedSoonHoweverLongNobodyLed() {
    start();
    for (int i = 0; i < 9; i++) {
      fail(Status.UNAVAILABLE.asRuntimeException());
      world.advance(SECOND);
    }
    fail(notLeader("c:3"));
    world.advance(ControlSession.MIN_DELAY_MILLIS * 1_000_000);
    assertThat(latest().to).isEqualTo(C);

    // Two that name each other are not asked ten times a second.
    fail(notLeader("b:2"));
    world.advance(ControlSession.MIN_DELAY_MILLIS * 1_000_000);
    assertThat(latest().to).isEqualTo(C);
    world.advance(SECOND);
    assertThat(latest().to).isEqualTo(B);
  }

  @Test
  void goesOnWithTheListIfTheLeaderNamedIsNoAddress() {
    start();
    fail(notLeader("nonsense"));
    world.advance(SECOND);
    assertThat(latest().to).isEqualTo(B);
  }

  @Test
  void triesAgainIfItCannotEvenSayHello() {
    refusals = 1;
    start();
    world.advance(SECOND);
    assertThat(latest().to).isEqualTo(B);
    assertThat(latest().sent).hasSize(1);
  }

  @Test
  void tellsAtOnceThatSomethingChanged() {
    start();
    deliver(welcome(1000));
    session.changed();
    world.settle();
    assertThat(latest().sent).hasSize(2);
  }

  @Test
  void triesAllCoordinatorsEverSlower() {
    start();
    List<Long> delays = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      fail(Status.UNAVAILABLE.asRuntimeException());
      int before = streams.size();
      long began = world.nanoTime();
      while (streams.size() == before) {
        world.advance(10_000_000L);
      }
      delays.add((world.nanoTime() - began) / 1_000_000);
    }
    assertThat(delays).containsExactly(100L, 200L, 400L, 800L, 1000L, 1000L, 1000L, 1000L, 1000L);
    assertThat(streams.stream().map(stream -> stream.to).toList())
        .startsWith(A, B, A, B)
        .doesNotContain(C);
    deliver(welcome(1000));
    fail(Status.UNAVAILABLE.asRuntimeException());
    int before = streams.size();
    world.advance(100_000_000L);
    assertThat(streams).hasSize(before + 1);
  }

  @Test
  void givesUpOnACoordinatorThatSaysNothing() {
    start();
    FakeStream silent = latest();
    world.advance(11 * SECOND);
    assertThat(silent.cancelled).isTrue();
    assertThat(latest().to).isEqualTo(B);
    silent.listener.directive(welcome(1000));
    world.settle();
    assertThat(session.admitted()).as("by a stream given up").isFalse();
  }

  @Test
  void carriesOutDirectives() {
    start();
    deliver(welcome(1000));
    Uuid application = Uuid.newBuilder().setHigh(1).setLow(2).build();
    deliver(
        ServerDirective.newBuilder()
            .setRemoveShuffle(
                ShuffleRef.newBuilder()
                    .setApplication(application)
                    .setShuffleId(4)
                    .setGeneration(1))
            .build());
    deliver(ServerDirective.newBuilder().setRemoveApplication(application).build());
    deliver(
        ServerDirective.newBuilder()
            .setApplicationsReturned(ApplicationsReturned.newBuilder().addApplications(application))
            .build());
    deliver(ServerDirective.newBuilder().setFenceIncarnation(7).build());
    deliver(ServerDirective.getDefaultInstance());
    ApplicationId id = ApplicationId.of(1, 2);
    assertThat(done)
        .containsExactly(
            "shuffle " + new ShuffleKey(id, 4, 1),
            "application " + id,
            "returned [" + id + "]",
            "fence 7");
  }

  @Test
  void passesOnWhoseApplicationsAre() {
    start();
    deliver(welcome(1000));
    deliver(
        ServerDirective.newBuilder()
            .setApplicationUsers(
                ApplicationUsers.newBuilder()
                    .setFirst(true)
                    .addUsers(user("ada", 1, 2))
                    .addUsers(user("bob", 3))
                    .addUsers(user("", 4)))
            .build());
    deliver(
        ServerDirective.newBuilder()
            .setApplicationUsers(ApplicationUsers.newBuilder().setLast(true))
            .build());
    assertThat(told)
        .containsExactly(
            new KnownUsers(
                true,
                false,
                Map.of(
                    ApplicationId.of(0, 1), "ada",
                    ApplicationId.of(0, 2), "ada",
                    ApplicationId.of(0, 3), "bob")),
            new KnownUsers(false, true, Map.of()));
  }

  private static UserApplications user(String name, long... applications) {
    UserApplications.Builder user = UserApplications.newBuilder().setUser(name);
    for (long application : applications) {
      user.addApplications(Uuid.newBuilder().setLow(application));
    }
    return user.build();
  }

  @Test
  void tellsAtOnceThatItStopsAndGoesOnSayingSo() {
    start();
    deliver(welcome(1000));
    session.stopping();
    world.settle();
    assertThat(latest().sent).hasSize(2);
    assertThat(latest().sent.get(1).getStopping()).isTrue();
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    assertThat(latest().sent.get(0).getStopping()).isTrue();
    assertThat(latest().sent.get(0).getDataLost()).isFalse();
  }

  @Test
  void saysWithItsLastReportThatDataIsLost() {
    start();
    deliver(welcome(1000));
    session.stoppingWithLoss();
    world.settle();
    assertThat(latest().sent.get(1).getStopping()).isTrue();
    assertThat(latest().sent.get(1).getDataLost()).isTrue();
  }

  @Test
  void saysThatItStopsHoweverMuchIsUnderWay() {
    start();
    deliver(welcome(1000));
    latest().ready = false;
    session.stoppingWithLoss();
    world.settle();
    assertThat(latest().sent).hasSize(2);
  }

  @Test
  void endsWhenTheLeaderHasTakenItsLastWordsAndAsksNobodyElse() {
    start();
    deliver(welcome(1000));
    session.stoppingWithLoss();
    CompletableFuture<Void> end = session.finish().toCompletableFuture();
    world.settle();
    assertThat(latest().sent).hasSize(2);
    assertThat(latest().finished).isTrue();
    assertThat(latest().cancelled).isFalse();
    assertThat(end).isNotDone();

    fail(Status.UNAVAILABLE.asRuntimeException());
    assertThat(end).isCompleted();
    world.advance(60 * SECOND);
    assertThat(streams).hasSize(1);
  }

  @Test
  void endsAtOnceWhereNobodyListens() {
    start();
    CompletableFuture<Void> end = session.finish().toCompletableFuture();
    world.settle();
    assertThat(end).isCompleted();
  }

  @Test
  void saysThatItDrainsOnceNothingComesInAnyMore() {
    start();
    deliver(welcome(1000));
    deliver(drain(true));
    assertThat(done).containsExactly("drain true");
    assertThat(latest().sent).hasSize(1);

    settled.complete(null);
    world.settle();

    assertThat(latest().sent).hasSize(2);
    assertThat(latest().sent.get(1).getDraining()).isTrue();
  }

  @Test
  void doesNotSayThatItDrainsIfThatWasTakenBackMeanwhile() {
    start();
    deliver(welcome(1000));
    deliver(drain(true));
    deliver(drain(false));
    settled.complete(null);
    world.settle();

    assertThat(done).containsExactly("drain true", "drain false");
    assertThat(latest().sent).hasSize(1);
  }

  @Test
  void saysAtOnceThatItIsEmptyWhenItDrains() {
    partitions = 2;
    start();
    deliver(welcome(1000));
    settled.complete(null);
    deliver(drain(true));
    Uuid application = Uuid.newBuilder().setHigh(1).setLow(2).build();
    ServerDirective removal =
        ServerDirective.newBuilder().setRemoveApplication(application).build();

    deliver(removal);
    assertThat(latest().sent).hasSize(2);
    partitions = 0;
    deliver(removal);

    assertThat(latest().sent).hasSize(3);
    assertThat(latest().sent.get(2).getLoad().getPartitions()).isZero();
  }

  private static ServerDirective drain(boolean begins) {
    return ServerDirective.newBuilder().setDrain(begins).build();
  }

  @Test
  void comesToRestWhenClosed() {
    start();
    deliver(welcome(100));
    session.close();
    assertThat(latest().cancelled).isTrue();
    int sent = latest().sent.size();
    latest().listener.ended(Status.CANCELLED.asRuntimeException());
    world.advance(60 * SECOND);
    assertThat(streams).hasSize(1);
    assertThat(latest().sent).hasSize(sent);
    assertThat(session.admitted()).isFalse();
  }

  private static ServerDirective of(ServerDirective directive, long cluster, long term) {
    return directive.toBuilder()
        .setLeader(Leader.newBuilder().setCluster(Uuid.newBuilder().setLow(cluster)).setTerm(term))
        .build();
  }

  @Test
  void goesOnToTheNextCoordinatorIfOneLeadsAnotherCluster() {
    start();
    deliver(of(welcome(1000), 7, 5));
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    FakeStream other = latest();
    assertThat(other.to).isEqualTo(B);
    deliver(of(welcome(1000), 8, 1));
    assertThat(other.cancelled).isTrue();
    assertThat(session.admitted()).isFalse();
    assertThat(session.problem()).get().asString().contains("b:2").contains("term 5");

    other.listener.directive(drain(true));
    world.advance(SECOND);
    assertThat(done).isEmpty();
    assertThat(latest().to).isEqualTo(A);
    deliver(of(welcome(1000), 7, 6));
    assertThat(session.admitted()).isTrue();
    assertThat(session.problem()).isEmpty();
  }

  @Test
  void isNotFencedByAnotherCluster() {
    start();
    deliver(of(welcome(1000), 7, 5));
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    ServerDirective fence = ServerDirective.newBuilder().setFenceIncarnation(3).build();
    deliver(of(fence, 8, 9));
    assertThat(done).isEmpty();

    world.advance(SECOND);
    deliver(of(fence, 7, 6));
    assertThat(done).containsExactly("fence 3");
  }

  @Test
  void countsTheTimeSinceTheLastSessionEndedNotSinceItBegan() {
    start();
    deliver(of(welcome(1000), 7, 5));
    world.advance(600 * SECOND);
    session.introduce();
    world.settle();
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    deliver(of(welcome(1000), 8, 1));
    assertThat(session.admitted()).isFalse();
    deliverUntilAdmitted(8);
    assertThat(world.nanoTime()).isBetween(900 * SECOND, 915 * SECOND);
  }

  /** Whoever is asked leads this cluster. */
  private void deliverUntilAdmitted(long cluster) {
    long deadline = world.nanoTime() + 400 * SECOND;
    while (!session.admitted() && world.nanoTime() < deadline) {
      world.advance(SECOND / 10);
      if (!latest().cancelled) {
        deliver(of(welcome(1000), cluster, 1));
      }
    }
    assertThat(session.admitted()).isTrue();
  }

  private final class Connector implements ControlConnector {
    @Override
    public ControlStream open(HostPort coordinator, Listener listener) {
      FakeStream stream = new FakeStream(coordinator, listener);
      streams.add(stream);
      return stream;
    }

    @Override
    public void close() {}
  }

  private static final class FakeStream implements ControlConnector.ControlStream {
    private final HostPort to;
    private final ControlConnector.Listener listener;
    private final List<ServerReport> sent = new ArrayList<>();
    private boolean ready = true;
    private boolean finished;
    private boolean cancelled;

    FakeStream(HostPort to, ControlConnector.Listener listener) {
      this.to = to;
      this.listener = listener;
    }

    @Override
    public boolean isReady() {
      return ready;
    }

    @Override
    public void send(ServerReport report) {
      sent.add(report);
    }

    @Override
    public void finish() {
      finished = true;
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  private final class Handler implements ControlHandler {
    @Override
    public ServerHello hello() {
      if (refusals-- > 0) {
        throw new IllegalStateException("not now");
      }
      return ServerHello.newBuilder().setVersion("test").build();
    }

    @Override
    public ServerLoad load() {
      return ServerLoad.newBuilder().setConnections(9).setPartitions(partitions).build();
    }

    @Override
    public void removeShuffle(ShuffleKey shuffle) {
      done.add("shuffle " + shuffle);
    }

    @Override
    public void removeApplication(ApplicationId application) {
      done.add("application " + application);
    }

    @Override
    public void returned(List<ApplicationId> applications) {
      done.add("returned " + applications);
    }

    @Override
    public void verifiers(KnownVerifiers verifiers) {
      done.add("verifiers " + verifiers.applications().size());
    }

    @Override
    public void users(KnownUsers users) {
      told.add(users);
    }

    @Override
    public CompletionStage<Void> drain(boolean begins) {
      done.add("drain " + begins);
      return settled;
    }

    @Override
    public void fence(long incarnation) {
      done.add("fence " + incarnation);
    }
  }
}
