package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.time.Clock;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import io.sluice.proto.error.ErrorTrailer;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** What a coordinator that does not lead passes on, and to whom it makes the caller. */
@TestInstance(Lifecycle.PER_CLASS)
class RestForwardTest {
  private static final String SERVER = "/servers/" + new UUID(7, 1);

  private final RestCalls rest;
  private final TestingServer zooKeeper;
  private final Coordinator leader;
  private final Coordinator follower;
  private final ManagedChannel toLeader;
  private final ManagedChannel toFollower;

  RestForwardTest(@TempDir Path directory) throws Exception {
    rest = new RestCalls(directory);
    zooKeeper = new TestingServer();
    Map<String, String> ensemble =
        Map.of("coordinator.zookeeper.connect", zooKeeper.getConnectString());
    leader = rest.start("first", ensemble);
    rest.awaitLeader(leader);
    follower = rest.start("second", ensemble);
    toLeader = rest.member(leader);
    toFollower = rest.member(follower);
  }

  @BeforeAll
  void letAServerIn() throws Exception {
    rest.awaitLeader(follower);
    // The first one of one could not be drained.
    for (int number = 1; number <= 2; number++) {
      TestServer server =
          new TestServer(toLeader)
              .greet(TestServer.hello(number, 1).toBuilder().setWantsVerifiers(true).build());
      assertThat(server.nextDirective().hasWelcome()).isTrue();
    }
  }

  @AfterAll
  void close() throws Exception {
    RestCalls.close(toFollower);
    RestCalls.close(toLeader);
    follower.close();
    leader.close();
    zooKeeper.close();
  }

  @Test
  void aFollowerAnswersWhatTheLeaderKnows() throws Exception {
    assertThat(rest.call(follower, RestCalls.READER, "GET", "/cluster").body())
        .contains("\"leader\":\"" + leader.address() + "\"");
    assertThat(rest.call(follower, RestCalls.READER, "GET", SERVER).statusCode()).isEqualTo(200);
    assertThat(rest.call(follower, "", "GET", SERVER).statusCode()).isEqualTo(401);
  }

  @Test
  void whichCoordinatorsAreThereIsShown() throws Exception {
    String leads = "{\"address\":\"" + leader.address() + "\",\"leads\":true}";
    String follows = "{\"address\":\"" + follower.address() + "\",\"leads\":false}";
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(20);
    String overview;
    do {
      assertThat(Clock.system().nanoTime()).as("in time").isLessThan(deadline);
      overview = rest.call(leader, RestCalls.READER, "GET", "/cluster").body();
    } while (!overview.contains(follows));
    assertThat(overview).contains(leads);
  }

  @Test
  void anAdminChangesThingsThroughAFollowerAndAReaderDoesNot() throws Exception {
    for (Coordinator asked : new Coordinator[] {follower, leader}) {
      assertThat(rest.call(asked, RestCalls.READER, "PUT", SERVER + "/drain").statusCode())
          .isEqualTo(403);
      assertThat(rest.call(asked, "", "PUT", SERVER + "/drain").statusCode()).isEqualTo(401);
      assertThat(rest.call(leader, RestCalls.READER, "GET", SERVER).body())
          .contains("\"draining\":false");
      assertThat(rest.call(asked, RestCalls.ADMIN, "PUT", SERVER + "/drain").statusCode())
          .isEqualTo(204);
      assertThat(rest.call(leader, RestCalls.READER, "GET", SERVER).body())
          .contains("\"draining\":true");
      assertThat(rest.call(asked, RestCalls.ADMIN, "DELETE", SERVER + "/drain").statusCode())
          .isEqualTo(204);
    }
  }

  /** The follower has checked already; the leader checks what it was told. */
  @Test
  void theLeaderLetsACallForAReaderChangeNothing() {
    RestCall drain =
        RestCall.newBuilder().setMethod("PUT").setPath("/api/v1" + SERVER + "/drain").build();

    assertThat(ask(toLeader, drain.toBuilder().setReadOnly(true).build()).getStatus())
        .isEqualTo(403);
    assertThat(ask(toLeader, drain).getStatus()).isEqualTo(204);
    assertThat(ask(toLeader, drain.toBuilder().setMethod("DELETE").build()).getStatus())
        .isEqualTo(204);
  }

  @Test
  void aCallThatWasPassedOnIsNotPassedOnAgain() {
    RestCall look = RestCall.newBuilder().setMethod("GET").setPath("/api/v1/cluster").build();

    assertThat(ask(toLeader, look).getStatus()).isEqualTo(200);
    assertThatThrownBy(() -> ask(toFollower, look))
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(ErrorTrailer.read(e).orElseThrow().getCode())
                  .isEqualTo(ErrorCode.NOT_LEADER.number());
              assertThat(ErrorTrailer.read(e).orElseThrow().getLeader())
                  .isEqualTo(leader.address().toString());
            });
  }

  @Test
  void whatIsNoCallIsRefused() {
    RestCall relative = RestCall.newBuilder().setMethod("GET").setPath("api/v1/cluster").build();
    RestCall large =
        RestCall.newBuilder()
            .setMethod("PUT")
            .setPath("/api/v1/admission")
            .setBody(ByteString.copyFrom(new byte[(64 << 10) + 1]))
            .build();

    for (RestCall wrong : new RestCall[] {relative, large}) {
      assertThatThrownBy(() -> ask(toLeader, wrong))
          .isInstanceOfSatisfying(
              StatusRuntimeException.class,
              e ->
                  assertThat(ErrorTrailer.read(e).orElseThrow().getCode())
                      .isEqualTo(ErrorCode.INVALID_ARGUMENT.number()));
    }
  }

  private static RestAnswer ask(ManagedChannel channel, RestCall call) {
    return ClusterServiceGrpc.newBlockingStub(channel)
        .withDeadlineAfter(20, TimeUnit.SECONDS)
        .callRest(call);
  }
}
