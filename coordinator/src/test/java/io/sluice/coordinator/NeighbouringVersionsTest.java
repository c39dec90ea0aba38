package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.grpc.ManagedChannel;
import io.sluice.common.error.ErrorCode;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.CreateShuffleResponse;
import io.sluice.proto.control.v1.ErrorDetail;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerWelcome;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.error.ErrorTrailer;
import io.sluice.proto.version.ControlVersion;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One real coordinator, and servers and drivers of the release before and of the one behind. */
class NeighbouringVersionsTest {
  /** What no version has: a number, a text and a message. */
  private static final UnknownFieldSet FROM_LATER =
      UnknownFieldSet.newBuilder()
          .addField(1_001, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
          .addField(
              1_002,
              UnknownFieldSet.Field.newBuilder()
                  .addLengthDelimited(ByteString.copyFromUtf8("of a later version"))
                  .build())
          .build();

  @SuppressWarnings("NullAway.Init")
  private static Coordinator coordinator;

  @SuppressWarnings("NullAway.Init")
  private static ManagedChannel channel;

  @BeforeAll
  static void start(@TempDir Path directory) {
    coordinator = Coordinator.start(TestCoordinators.config(directory, Map.of()));
    channel = TestCoordinators.connect(coordinator);
    TestCoordinators.awaitLeader(channel);
  }

  @AfterAll
  static void stop() throws InterruptedException {
    channel.shutdownNow();
    channel.awaitTermination(5, TimeUnit.SECONDS);
    coordinator.close();
  }

  private static ApplicationServiceGrpc.ApplicationServiceBlockingStub driver() {
    return ApplicationServiceGrpc.newBlockingStub(channel).withDeadlineAfter(20, TimeUnit.SECONDS);
  }

  private static ErrorDetail refusal(Throwable failure) {
    return ErrorTrailer.read(failure)
        .orElseThrow(() -> new AssertionError("not a coded failure", failure));
  }

  private static ServerWelcome welcomeTo(long id, int oldest, int newest) throws Exception {
    ServerHello hello =
        TestServer.hello(id, 1).toBuilder()
            .setOldestVersion(oldest)
            .setNewestVersion(newest)
            .build();
    TestServer server = new TestServer(channel).greet(hello);
    try {
      return server.nextDirective().getWelcome();
    } finally {
      server.hangUp();
    }
  }

  @Test
  void speaksTheNewestVersionThatBothDo() throws Exception {
    assertThat(welcomeTo(1, 0, 0).getVersion()).as("of who names none").isEqualTo(1);
    assertThat(welcomeTo(2, 1, 1).getVersion()).isEqualTo(1);
    assertThat(welcomeTo(3, 1, 2).getVersion()).isEqualTo(2);
    assertThat(welcomeTo(4, 2, 3).getVersion()).isEqualTo(2);
    RegisterApplicationRequest request =
        RegisterApplicationRequest.newBuilder()
            .setApplication(Uuid.newBuilder().setHigh(1).setLow(1))
            .build();
    assertThat(driver().registerApplication(request).getVersion()).isEqualTo(1);
    assertThat(
            driver()
                .registerApplication(
                    request.toBuilder().setOldestVersion(2).setNewestVersion(9).build())
                .getVersion())
        .isEqualTo(2);
  }

  @Test
  void whoSpeaksNoneOfTheVersionsIsToldWhichAndWhoIsToBeUpgraded() throws Exception {
    ServerHello hello =
        TestServer.hello(10, 1).toBuilder().setOldestVersion(7).setNewestVersion(9).build();
    ErrorDetail server = refusal(new TestServer(channel).greet(hello).failure());
    assertThat(ErrorCode.ofNumber(server.getCode())).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
    assertThat(server.getMessage())
        .contains("the server speaks control versions 7 to 9, the coordinator 1 to 2")
        .contains("upgrade the coordinator");

    ErrorDetail client =
        refusal(
            catchThrowable(
                () ->
                    driver()
                        .registerApplication(
                            RegisterApplicationRequest.newBuilder()
                                .setApplication(Uuid.newBuilder().setHigh(1).setLow(2))
                                .setOldestVersion(ControlVersion.NEWEST + 1)
                                .setNewestVersion(ControlVersion.NEWEST + 1)
                                .build())));
    assertThat(ErrorCode.ofNumber(client.getCode())).isEqualTo(ErrorCode.UNSUPPORTED_VERSION);
    assertThat(client.getMessage()).contains("the client speaks");
  }

  /** Only what the first version had, and of that only what has no default. */
  @Test
  void absentFieldsHaveTheirDefaults() throws Exception {
    Uuid application = Uuid.newBuilder().setHigh(1).setLow(3).build();
    TestServer server =
        new TestServer(channel).greet(ServerHello.newBuilder().setAddress(address(20)).build());
    assertThat(server.nextDirective().hasWelcome()).isTrue();

    RegisterApplicationResponse terms =
        driver()
            .registerApplication(
                RegisterApplicationRequest.newBuilder().setApplication(application).build());
    assertThat(terms.getExpiryMillis()).isPositive();
    CreateShuffleResponse placed =
        driver()
            .createShuffle(
                CreateShuffleRequest.newBuilder()
                    .setShuffle(ShuffleRef.newBuilder().setApplication(application))
                    .setPartitions(4)
                    .build());
    assertThat(placed.getPlacement().getReplicas()).isEqualTo(1);
    assertThat(placed.getPlacement().getAssignmentCount()).isEqualTo(4);
    assertThat(placed.getPlacement().getServersList())
        .filteredOn(address -> address.getId().getLow() == 20)
        .as("the life it named, intact since itself")
        .allMatch(address -> address.getIntactSince() == 1 && address.getGrpcPort() == 0);
    server.hangUp();
  }

  @Test
  void fieldsOfLaterVersionsAreIgnored() throws Exception {
    Uuid application = Uuid.newBuilder().setHigh(1).setLow(4).setUnknownFields(FROM_LATER).build();
    TestServer server = new TestServer(channel);
    server.send(
        ServerReport.newBuilder()
            .setUnknownFields(FROM_LATER)
            .setLoad(
                ServerLoad.newBuilder()
                    .setUnknownFields(FROM_LATER)
                    .setMemoryCapacityBytes(1 << 30))
            .setHello(
                ServerHello.newBuilder()
                    .setUnknownFields(FROM_LATER)
                    .setAddress(address(30).toBuilder().setUnknownFields(FROM_LATER))
                    .setOldestVersion(2)
                    .setNewestVersion(3))
            .build());
    assertThat(server.nextDirective().getWelcome().getVersion()).isEqualTo(2);
    server.send(ServerReport.newBuilder().setUnknownFields(FROM_LATER).build());

    driver()
        .registerApplication(
            RegisterApplicationRequest.newBuilder()
                .setUnknownFields(FROM_LATER)
                .setApplication(application)
                .setNewestVersion(3)
                .build());
    CreateShuffleResponse placed =
        driver()
            .createShuffle(
                CreateShuffleRequest.newBuilder()
                    .setUnknownFields(FROM_LATER)
                    .setShuffle(
                        ShuffleRef.newBuilder()
                            .setUnknownFields(FROM_LATER)
                            .setApplication(application))
                    .setPartitions(4)
                    .build());
    assertThat(placed.getPlacement().getAssignmentCount()).isEqualTo(4);
    assertThat(placed.getTerm()).isPositive();
    server.hangUp();
  }

  private static ServerAddress address(long id) {
    return ServerAddress.newBuilder()
        .setId(Uuid.newBuilder().setHigh(7).setLow(id))
        .setIncarnation(1)
        .setHost("server-" + id)
        .setPort(9000)
        .build();
  }
}
