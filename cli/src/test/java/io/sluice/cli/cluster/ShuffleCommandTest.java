package io.sluice.cli.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.protobuf.ByteString;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.cli.Sluices;
import io.sluice.proto.control.v1.ClusterServiceGrpc;
import io.sluice.proto.control.v1.RestAnswer;
import io.sluice.proto.control.v1.RestCall;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A shuffle that an earlier leader placed, as the next one tells of it. */
class ShuffleCommandTest {
  private static final String APPLICATION = new UUID(1, 2).toString();
  private static final String SERVER = new UUID(3, 4).toString();

  @SuppressWarnings("NullAway.Init")
  private Server coordinator;

  @BeforeEach
  void start() throws IOException {
    coordinator = NettyServerBuilder.forPort(0).addService(new NextLeader()).build().start();
  }

  @AfterEach
  void stop() {
    coordinator.shutdownNow();
  }

  private static final class NextLeader extends ClusterServiceGrpc.ClusterServiceImplBase {
    @Override
    public void callRest(RestCall call, StreamObserver<RestAnswer> caller) {
      String application = "/api/v1/applications/" + APPLICATION;
      String answer;
      if (call.getPath().equals(application)) {
        answer = "{'servers': [{'server': '" + SERVER + "', 'bytes': 2048, 'partitions': 7}]}";
      } else if (call.getPath().equals(application + "/shuffles")) {
        assertThat(call.getQuery()).contains("after=0000000002-2147483647");
        answer =
            "{'items': [{'shuffle': 3, 'generation': 0}, {'shuffle': 3, 'generation': 2},"
                + " {'shuffle': 4, 'generation': 5}]}";
      } else {
        assertThat(call.getPath()).isEqualTo(application + "/shuffles/3/2");
        answer = "{'shuffle': 3, 'generation': 2, 'copies': 14, 'earlier': true}";
      }
      caller.onNext(
          RestAnswer.newBuilder()
              .setStatus(200)
              .setBody(ByteString.copyFromUtf8(answer.replace('\'', '"')))
              .build());
      caller.onCompleted();
    }
  }

  private String show(String format) {
    Sluices.Outcome outcome =
        Sluices.run(
            "shuffle",
            "show",
            APPLICATION,
            "3",
            "-o",
            format,
            "--coordinator",
            "localhost:" + coordinator.getPort());
    assertThat(outcome).matches(Sluices.Outcome::isOk);
    return outcome.out();
  }

  @Test
  void showsWhatServersHoldOfTheApplication() throws IOException {
    assertThat(show("table"))
        .startsWith("14 copies of partitions, placed by an earlier leader")
        .containsPattern(SERVER + " +2\\.0 KiB +7");

    JsonNode json = new ObjectMapper().readTree(show("json"));
    assertThat(json.path("earlier").asBoolean()).isTrue();
    assertThat(json.path("application_on").path(0).path("server").asText()).isEqualTo(SERVER);
    assertThat(json.has("replica_sets")).as("nothing is not no partitions").isFalse();
  }
}
