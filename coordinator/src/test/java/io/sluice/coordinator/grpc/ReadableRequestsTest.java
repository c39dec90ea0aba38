package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.sluice.common.error.ErrorCode;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeartbeatApplicationResponse;
import io.sluice.proto.error.ErrorTrailer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is sent as a heartbeat, byte by byte. */
class ReadableRequestsTest {
  @SuppressWarnings("NullAway.Init")
  private Server server;

  @SuppressWarnings("NullAway.Init")
  private ManagedChannel channel;

  @BeforeEach
  void start() throws IOException {
    ApplicationServiceGrpc.ApplicationServiceImplBase service =
        new ApplicationServiceGrpc.ApplicationServiceImplBase() {
          @Override
          public void heartbeatApplication(
              HeartbeatApplicationRequest request,
              StreamObserver<HeartbeatApplicationResponse> caller) {
            caller.onNext(
                HeartbeatApplicationResponse.newBuilder()
                    .setTerm(request.getApplication().getLow())
                    .build());
            caller.onCompleted();
          }
        };
    server =
        NettyServerBuilder.forPort(0)
            .addService(ReadableRequests.of(service.bindService()))
            .build()
            .start();
    channel = NettyChannelBuilder.forAddress("localhost", server.getPort()).usePlaintext().build();
  }

  @AfterEach
  void stop() {
    channel.shutdownNow();
    server.shutdownNow();
  }

  private byte[] beat(byte[] request) {
    MethodDescriptor<byte[], byte[]> raw =
        MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(
                ApplicationServiceGrpc.getHeartbeatApplicationMethod().getFullMethodName())
            .setRequestMarshaller(new Bytes())
            .setResponseMarshaller(new Bytes())
            .build();
    CallOptions patient = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
    return ClientCalls.blockingUnaryCall(channel, raw, patient, request);
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void whatCanBeReadIsAnswered() throws IOException {
    HeartbeatApplicationRequest.Builder request = HeartbeatApplicationRequest.newBuilder();
    request.getApplicationBuilder().setLow(7);

    byte[] answer = beat(request.build().toByteArray());

    assertThat(HeartbeatApplicationResponse.parseFrom(answer).getTerm()).isEqualTo(7);
  }

  @Test
  void whatCannotBeReadIsAWrongArgument() {
    StatusRuntimeException refusal =
        catchThrowableOfType(
            StatusRuntimeException.class, () -> beat(new byte[] {(byte) 0xFF, 1, 2, 3}));

    assertThat(refusal.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(ErrorTrailer.read(refusal))
        .hasValueSatisfying(
            detail -> {
              assertThat(ErrorCode.ofNumber(detail.getCode()))
                  .isEqualTo(ErrorCode.INVALID_ARGUMENT);
              assertThat(detail.getMessage())
                  .contains("ApplicationService/HeartbeatApplication", "cannot be read");
            });
  }
}
