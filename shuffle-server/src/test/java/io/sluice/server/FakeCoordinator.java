package io.sluice.server;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.common.config.HostPort;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerServiceGrpc;
import io.sluice.proto.control.v1.ServerWelcome;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A coordinator that welcomes every server and sends what a test says. */
final class FakeCoordinator extends ServerServiceGrpc.ServerServiceImplBase
    implements AutoCloseable {
  private static final long DEADLINE_SECONDS = 60;

  final BlockingQueue<ServerReport> reports = new LinkedBlockingQueue<>();
  private final Server server;
  private volatile @Nullable StreamObserver<ServerDirective> directives;

  FakeCoordinator() throws IOException {
    server = NettyServerBuilder.forPort(0).addService(this).build().start();
  }

  HostPort address() {
    return new HostPort("localhost", server.getPort());
  }

  @Override
  public StreamObserver<ServerReport> session(StreamObserver<ServerDirective> caller) {
    directives = caller;
    return new StreamObserver<>() {
      @Override
      public void onNext(ServerReport report) {
        if (report.hasHello()) {
          FakeCoordinator.send(
              caller,
              ServerDirective.newBuilder()
                  .setWelcome(ServerWelcome.newBuilder().setTerm(1).setHeartbeatIntervalMillis(20))
                  .build());
        }
        // After the answer: whoever has seen the hello may go on to send directives.
        reports.add(report);
      }

      @Override
      public void onError(Throwable failure) {}

      @Override
      public void onCompleted() {
        caller.onCompleted();
      }
    };
  }

  void send(ServerDirective directive) {
    StreamObserver<ServerDirective> to = directives;
    if (to == null) {
      throw new AssertionError("no server has called");
    }
    send(to, directive);
  }

  /** The test's thread and those of calls both send, and a call takes one thread at a time. */
  private static void send(StreamObserver<ServerDirective> to, ServerDirective directive) {
    synchronized (to) {
      to.onNext(directive);
    }
  }

  /** The next report that has a hello. */
  ServerReport hello() throws InterruptedException {
    while (true) {
      ServerReport report = reports.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
      if (report == null) {
        throw new AssertionError("no hello within the deadline");
      }
      if (report.hasHello()) {
        return report;
      }
    }
  }

  @Override
  public void close() {
    server.shutdownNow();
  }
}
