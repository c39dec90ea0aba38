package io.sluice.server.control;

import io.grpc.Status;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerWelcome;
import io.sluice.proto.error.ErrorTrailer;
import io.sluice.server.World;
import io.sluice.server.security.KnownVerifiers;
import io.sluice.server.user.KnownUsers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A server's session with coordinators that tests play, on a clock that they move. */
abstract class ControlSessionFixture {
  static final HostPort A = new HostPort("a", 1);
  static final HostPort B = new HostPort("b", 2);
  static final HostPort C = new HostPort("c", 3);
  static final long SECOND = 1_000_000_000L;

  final World world = new World(1);
  final List<FakeStream> streams = new ArrayList<>();
  final List<String> done = new ArrayList<>();
  final List<String> unheard = new ArrayList<>();
  final List<KnownUsers> told = new ArrayList<>();
  final CompletableFuture<Void> settled = new CompletableFuture<>();
  final CompletableFuture<Boolean> risen = new CompletableFuture<>();
  long incarnation = 1;
  int partitions;
  int refusals;
  final ControlSession session =
      new ControlSession(List.of(A, B), new Connector(), new Handler(), world);

  FakeStream latest() {
    return streams.get(streams.size() - 1);
  }

  void start() {
    session.start();
    world.settle();
  }

  static ServerDirective welcome(long intervalMillis) {
    return ServerDirective.newBuilder()
        .setWelcome(
            ServerWelcome.newBuilder().setTerm(1).setHeartbeatIntervalMillis(intervalMillis))
        .build();
  }

  void deliver(ServerDirective directive) {
    latest().listener.directive(directive);
    world.settle();
  }

  void fail(Throwable reason) {
    latest().listener.ended(reason);
    world.settle();
  }

  static Throwable notLeader(String leader) {
    return ErrorTrailer.toException(
        Status.Code.FAILED_PRECONDITION,
        ErrorDetail.newBuilder().setCode(ErrorCode.NOT_LEADER.number()).setLeader(leader).build());
  }

  static ServerDirective drain(boolean begins) {
    return ServerDirective.newBuilder().setDrain(begins).build();
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

  static final class FakeStream implements ControlConnector.ControlStream {
    final HostPort to;
    final ControlConnector.Listener listener;
    final List<ServerReport> sent = new ArrayList<>();
    boolean ready = true;
    boolean finished;
    boolean cancelled;

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
      return ServerHello.newBuilder()
          .setVersion("test")
          .setAddress(ServerAddress.newBuilder().setIncarnation(incarnation))
          .build();
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
    public void unheard(int times) {
      unheard.add(world.nanoTime() / SECOND + " s: " + times);
    }

    @Override
    public CompletionStage<Boolean> fence(long lost) {
      done.add("fence " + lost);
      return risen;
    }
  }
}
