package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerServiceGrpc;
import io.sluice.proto.control.v1.Uuid;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A shuffle server as the coordinator sees one: a session stream and what came down it. */
final class TestServer implements StreamObserver<ServerDirective> {
  private static final long PATIENCE_SECONDS = 20;

  private final LinkedBlockingQueue<Object> received = new LinkedBlockingQueue<>();
  private final StreamObserver<ServerReport> reports;

  TestServer(ManagedChannel channel) {
    this.reports = ServerServiceGrpc.newStub(channel).session(this);
  }

  static ServerHello hello(long id, long incarnation, Uuid... applications) {
    ServerHello.Builder hello =
        ServerHello.newBuilder()
            .setAddress(
                ServerAddress.newBuilder()
                    .setId(Uuid.newBuilder().setHigh(7).setLow(id))
                    .setIncarnation(incarnation)
                    .setHost("server-" + id)
                    .setPort(9000)
                    .setGrpcPort(9002))
            .setVersion("test")
            .setHttpAddress("server-" + id + ":9001");
    for (Uuid application : applications) {
      hello.addApplications(application);
    }
    return hello.build();
  }

  static ServerLoad load(long memory) {
    return ServerLoad.newBuilder().setMemoryCapacityBytes(memory).build();
  }

  TestServer greet(ServerHello hello) {
    reports.onNext(ServerReport.newBuilder().setHello(hello).setLoad(load(1 << 30)).build());
    return this;
  }

  void send(ServerReport report) {
    reports.onNext(report);
  }

  void hangUp() {
    reports.onCompleted();
  }

  ServerDirective nextDirective() throws InterruptedException {
    Object next = next();
    assertThat(next).isInstanceOf(ServerDirective.class);
    return (ServerDirective) next;
  }

  Throwable failure() throws InterruptedException {
    Object next = next();
    assertThat(next).isInstanceOf(Throwable.class);
    return (Throwable) next;
  }

  /** Whether nothing has come that was not asked for yet, and the stream has not ended. */
  boolean isQuiet() {
    return received.isEmpty();
  }

  private Object next() throws InterruptedException {
    @Nullable Object next = received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertThat(next).as("something from the coordinator").isNotNull();
    return next;
  }

  @Override
  public void onNext(ServerDirective directive) {
    received.add(directive);
  }

  @Override
  public void onError(Throwable failure) {
    received.add(failure);
  }

  @Override
  public void onCompleted() {}
}
