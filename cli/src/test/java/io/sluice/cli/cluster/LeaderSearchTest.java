package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.cli.ExitCode;
import io.sluice.cli.Sluices;
import io.sluice.common.error.ErrorCode;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.GetClusterRequest;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import io.sluice.proto.error.ErrorTrailer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Commands against coordinators that lead or say who does, each command by its own kind of call.
 */
class LeaderSearchTest {
  private static final String LEADS = "leads";
  private static final String AT_ONCE = " --leader-timeout 0";
  private static final String SERVER = new UUID(1, 2).toString();

  private static final RestAnswer UNSETTLED =
      RestAnswer.newBuilder()
          .setStatus(503)
          .setBody(
              ByteString.copyFromUtf8(
                  "{\"error\": {\"code\": \"COORDINATOR_UNAVAILABLE\","
                      + " \"message\": \"waits for servers\"}}"))
          .build();

  private final List<Server> servers = new ArrayList<>();
  private final List<Coordinator> coordinators = new ArrayList<>();

  @AfterEach
  void stop() {
    servers.forEach(Server::shutdownNow);
  }

  /** Says whom a coordinator names when it is asked the nth time, from 1; LEADS answers. */
  private final class Coordinator extends ClusterServiceGrpc.ClusterServiceImplBase {
    private final Function<Integer, String> names;
    private final Function<Integer, RestAnswer> answers;
    private final List<String> puts = new CopyOnWriteArrayList<>();
    private int asked;

    Coordinator(Function<Integer, String> names, Function<Integer, RestAnswer> answers) {
      this.names = names;
      this.answers = answers;
      coordinators.add(this);
    }

    private synchronized <T> void answer(StreamObserver<T> caller, T answer) {
      String leader = names.apply(++asked);
      if (leader.equals(LEADS)) {
        caller.onNext(answer);
        caller.onCompleted();
        return;
      }
      caller.onError(
          ErrorTrailer.toException(
              Status.Code.FAILED_PRECONDITION,
              ErrorDetail.newBuilder()
                  .setCode(ErrorCode.NOT_LEADER.number())
                  .setMessage("another leads")
                  .setLeader(leader)
                  .build()));
    }

    synchronized int asked() {
      return asked;
    }

    @Override
    public void getCluster(GetClusterRequest request, StreamObserver<GetClusterResponse> caller) {
      answer(caller, GetClusterResponse.getDefaultInstance());
    }

    @Override
    public void drainServer(DrainServerRequest request, StreamObserver<DrainProgress> caller) {
      answer(caller, DrainProgress.getDefaultInstance());
    }

    @Override
    public void callRest(RestCall request, StreamObserver<RestAnswer> caller) {
      if (request.getMethod().equals("PUT")) {
        puts.add(request.getBody().toStringUtf8());
      }
      answer(caller, answers.apply(asked() + 1));
    }
  }

  private String coordinator(Function<Integer, String> names) throws IOException {
    return coordinator(names, time -> RestAnswer.newBuilder().setStatus(200).build());
  }

  private String coordinator(Function<Integer, String> names, Function<Integer, RestAnswer> answers)
      throws IOException {
    Server server =
        NettyServerBuilder.forPort(0).addService(new Coordinator(names, answers)).build().start();
    servers.add(server);
    return "localhost:" + server.getPort();
  }

  private static Sluices.Outcome run(String command, String... coordinators) {
    String whole =
        command.replace("ID", SERVER) + " --coordinator " + String.join(",", coordinators);
    return Sluices.run(whole.split(" "));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cluster status",
        "server list",
        "server drain ID",
        "server drain ID --undo",
        "server undrain ID",
        "server exclude ID",
        "app list"
      })
  void askWhomAFollowerNames(String command) throws IOException {
    String leader = coordinator(time -> LEADS);
    String follower = coordinator(time -> leader);

    assertThat(run(command, follower)).matches(Sluices.Outcome::isOk);
    assertThat(coordinators.get(1).asked()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cluster status", "server list", "server drain ID", "app list"})
  void goOnWithTheNextIfAFollowerNamesNobody(String command) throws IOException {
    String follower = coordinator(time -> "");
    String leader = coordinator(time -> LEADS);

    assertThat(run(command, follower, leader)).matches(Sluices.Outcome::isOk);

    Sluices.Outcome alone = run(command + AT_ONCE, follower);
    assertThat(alone.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(alone.err()).contains(follower + ": another leads");
  }

  @ParameterizedTest
  @ValueSource(strings = {"cluster status", "server list", "server drain ID", "app list"})
  void goOnWithTheNextIfTheLeaderIsGone(String command) throws IOException {
    String gone = coordinator(time -> LEADS);
    servers.get(0).shutdownNow();
    String behind = coordinator(time -> gone);
    String alsoBehind = coordinator(time -> gone);

    Sluices.Outcome outcome = run(command + AT_ONCE, behind, alsoBehind);
    assertThat(outcome.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(outcome.err()).containsOnlyOnce(gone + ": UNAVAILABLE").contains(alsoBehind);

    String leader = coordinator(time -> LEADS);
    assertThat(run(command, behind, leader)).matches(Sluices.Outcome::isOk);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cluster status", "server list", "server drain ID", "app list"})
  void askAgainWhoHasBecomeTheLeaderMeanwhile(String command) throws IOException {
    List<String> first = new ArrayList<>();
    String stepsDown = coordinator(time -> first.get(0));
    String elected = coordinator(time -> time == 1 ? stepsDown : LEADS);
    first.add(elected);

    assertThat(run(command, elected)).matches(Sluices.Outcome::isOk);
    assertThat(coordinators.get(0).asked()).isPositive();
  }

  @ParameterizedTest
  @ValueSource(strings = {"cluster status", "server list", "server drain ID", "app list"})
  void giveUpIfTwoNameEachOtherForEver(String command) throws IOException {
    List<String> other = new ArrayList<>();
    String one = coordinator(time -> other.get(0));
    other.add(coordinator(time -> one));

    assertThat(run(command + AT_ONCE, one).code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(coordinators.get(0).asked() + coordinators.get(1).asked())
        .isEqualTo(1 + LeaderSearch.MAX_FOLLOWED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "cluster status",
        "server list",
        "server drain ID",
        "server drain ID --wait",
        "server undrain ID",
        "server exclude ID",
        "app list",
        "quota get"
      })
  void waitForTheEndOfAnElection(String command) throws IOException {
    String gone = coordinator(time -> LEADS);
    servers.get(0).shutdownNow();
    // It names the dead one, then nobody, and then it leads itself.
    String elected = coordinator(time -> time == 1 ? gone : time == 2 ? "" : LEADS);

    Sluices.Outcome outcome = run(command, elected);

    boolean ends = !command.endsWith("--wait");
    assertThat(outcome.code()).isEqualTo(ends ? ExitCode.OK : ExitCode.FAILED);
    assertThat(outcome.err())
        .containsOnlyOnce("no coordinator leads: asking for up to " + (ends ? "15s" : "1m"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"cluster status", "server list", "server drain ID", "app list"})
  void giveUpWhenAnElectionTakesTooLong(String command) throws IOException {
    String follower = coordinator(time -> "");

    Sluices.Outcome outcome = run(command + " --leader-timeout 400ms", follower);

    assertThat(outcome.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(outcome.err()).contains("up to 400ms", follower + ": another leads");
    assertThat(coordinators.get(0).asked()).as("again and again").isBetween(2, 5);
  }

  /** A leader that has been elected just now, and has yet to hear of its servers. */
  @Test
  void waitForALeaderThatKnowsNothingYet() throws IOException {
    String leader =
        coordinator(
            time -> LEADS,
            time -> time < 3 ? UNSETTLED : RestAnswer.newBuilder().setStatus(200).build());

    Sluices.Outcome later = run("app list", leader);
    assertThat(later).matches(Sluices.Outcome::isOk);
    assertThat(later.err()).containsOnlyOnce("the leader cannot answer yet: asking for up to 15s");

    Sluices.Outcome never =
        run("app list" + AT_ONCE, coordinator(time -> LEADS, time -> UNSETTLED));
    assertThat(never.code()).isEqualTo(ExitCode.UNAVAILABLE);
    assertThat(never.err())
        .contains("the leader cannot answer yet: ", "waits for servers (COORDINATOR_UNAVAILABLE)");
  }

  /** What another operator has changed while a command waited stays. */
  @Test
  void readAgainWhatTheyChangeAfterAWait() throws IOException {
    String leader =
        coordinator(
            time -> LEADS,
            time ->
                switch (time) {
                  case 1 -> answer("{\"deny\":[\"eve\"],\"load_max\":1}");
                  case 2 -> UNSETTLED;
                  case 3 -> answer("{\"deny\":[\"mallory\"],\"load_max\":1}");
                  default -> answer("");
                });

    assertThat(run("admission set --load-max 0.5", leader)).matches(Sluices.Outcome::isOk);

    assertThat(coordinators.get(0).puts)
        .containsExactly(
            "{\"deny\":[\"eve\"],\"load_max\":0.5}", "{\"deny\":[\"mallory\"],\"load_max\":0.5}");
  }

  private static RestAnswer answer(String body) {
    return RestAnswer.newBuilder().setStatus(200).setBody(ByteString.copyFromUtf8(body)).build();
  }

  @Test
  void aTimeWithoutAUnitIsUsage() {
    Sluices.Outcome outcome = run("app list --leader-timeout 15", "localhost:1");
    assertThat(outcome.code()).isEqualTo(ExitCode.USAGE);
    assertThat(outcome.err()).contains("'15' is not a duration");
  }
}
