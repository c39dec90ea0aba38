package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Sluices;
import io.sluice.common.error.ErrorCode;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerState;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.error.ErrorTrailer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Against coordinators that say what a test wants. */
class DrainCallTest {
  private static final DrainServerRequest REQUEST =
      DrainServerRequest.newBuilder()
          .setServer(Uuid.newBuilder().setHigh(1).setLow(2))
          .setWait(true)
          .build();

  private final List<Server> servers = new ArrayList<>();
  private final List<DrainServerRequest> asked = new ArrayList<>();
  private final List<ServerState> heard = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.forEach(Server::shutdownNow);
  }

  private String coordinator(Consumer<StreamObserver<DrainProgress>> answer) throws IOException {
    ClusterServiceGrpc.ClusterServiceImplBase service =
        new ClusterServiceGrpc.ClusterServiceImplBase() {
          @Override
          public void drainServer(
              DrainServerRequest request, StreamObserver<DrainProgress> caller) {
            synchronized (asked) {
              asked.add(request);
            }
            answer.accept(caller);
          }
        };
    Server server = NettyServerBuilder.forPort(0).addService(service).build().start();
    servers.add(server);
    return "localhost:" + server.getPort();
  }

  private static DrainProgress progress(ServerState state, boolean drained) {
    return DrainProgress.newBuilder()
        .setServer(ServerInfo.newBuilder().setState(state).setDrained(drained))
        .build();
  }

  private static Throwable refusal(Status.Code status, ErrorCode code) {
    return ErrorTrailer.toException(
        status,
        ErrorDetail.newBuilder()
            .setCode(code.forOlderPeers().number())
            .setNewerCode(code.newerNumber())
            .setMessage("because")
            .build());
  }

  private DrainProgress run(String... coordinators) {
    return new DrainCall(
            CoordinatorChannels.open(),
            List.of(coordinators),
            progress -> heard.add(progress.getServer().getState()),
            Duration.ZERO)
        .run(REQUEST);
  }

  @Test
  void hearsOfTheServerUntilItIsEmpty() throws IOException {
    String leader =
        coordinator(
            caller -> {
              caller.onNext(progress(ServerState.DRAINING, false));
              caller.onNext(progress(ServerState.RESTARTING, false));
              caller.onNext(progress(ServerState.DRAINING, true));
              caller.onCompleted();
            });

    assertThat(run(leader).getServer().getDrained()).isTrue();
    assertThat(heard)
        .containsExactly(ServerState.DRAINING, ServerState.RESTARTING, ServerState.DRAINING);
  }

  @Test
  void goesOnWithTheNextLeaderWhenOneGoesAway() throws IOException {
    String follower =
        coordinator(
            caller ->
                caller.onError(refusal(Status.Code.FAILED_PRECONDITION, ErrorCode.NOT_LEADER)));
    String dying =
        coordinator(
            caller -> {
              caller.onNext(progress(ServerState.DRAINING, false));
              caller.onError(Status.UNAVAILABLE.asRuntimeException());
            });
    String next =
        coordinator(
            caller -> {
              caller.onNext(progress(ServerState.DRAINING, true));
              caller.onCompleted();
            });

    assertThat(run(follower, dying, next).getServer().getDrained()).isTrue();
    assertThat(asked).containsExactly(REQUEST, REQUEST, REQUEST);
  }

  @Test
  void waitsForTheNextLeaderWhenTheFirstOneSaidNothing() throws IOException {
    String coordinator =
        coordinator(
            caller -> {
              if (asked.size() == 1) {
                caller.onError(refusal(Status.Code.FAILED_PRECONDITION, ErrorCode.NOT_LEADER));
              } else {
                caller.onNext(progress(ServerState.DRAINING, true));
                caller.onCompleted();
              }
            });

    assertThat(run(coordinator).getServer().getDrained()).isTrue();
    assertThat(asked).containsExactly(REQUEST, REQUEST);
  }

  @Test
  void onlyAServerThatIsEmptyIsWhatWasWaitedFor() throws IOException {
    assertThat(exit(progress(ServerState.DRAINING, true), "--wait")).isEqualTo(ExitCode.OK);
    assertThat(exit(progress(ServerState.LOST, false), "--wait")).isEqualTo(ExitCode.FAILED);
    DrainProgress nothing = DrainProgress.getDefaultInstance();
    assertThat(exit(nothing, "--wait")).as("not there").isEqualTo(ExitCode.FAILED);
    assertThat(exit(nothing)).as("the wish is kept").isEqualTo(ExitCode.OK);
    assertThat(exit(nothing, "--undo", "--wait")).as("taken back").isEqualTo(ExitCode.OK);
  }

  private int exit(DrainProgress last, String... options) throws IOException {
    String leader =
        coordinator(
            caller -> {
              caller.onNext(last);
              caller.onCompleted();
            });
    List<String> command = new ArrayList<>(List.of("server", "drain", new UUID(1, 2).toString()));
    command.addAll(List.of(options));
    command.addAll(List.of("--coordinator", leader));
    return Sluices.run(command.toArray(String[]::new)).code();
  }

  @Test
  void saysWhyTheWishIsRefused() throws IOException {
    String leader =
        coordinator(
            caller ->
                caller.onError(refusal(Status.Code.INVALID_ARGUMENT, ErrorCode.TOO_FEW_SERVERS)));

    assertThatThrownBy(() -> run(leader, leader))
        .isInstanceOfSatisfying(
            CommandFailedException.class,
            failed -> assertThat(failed.exitCode()).isEqualTo(ExitCode.FAILED))
        .hasMessage("because (TOO_FEW_SERVERS)");
    assertThat(asked).hasSize(1);
  }

  @Test
  void namesThoseThatDoNotAnswer() throws IOException {
    String gone = coordinator(caller -> {});
    servers.get(0).shutdownNow();

    assertThatThrownBy(() -> run(gone))
        .isInstanceOfSatisfying(
            CommandFailedException.class,
            failed -> assertThat(failed.exitCode()).isEqualTo(ExitCode.UNAVAILABLE))
        .hasMessageContaining(gone);
  }
}
