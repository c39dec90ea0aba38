package io.sluice.benchmarks.coordinator.child;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.sluice.common.time.Scheduler;
import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.ServerReport;
import io.sluice.proto.control.v1.ServerServiceGrpc;
import io.sluice.proto.control.v1.Uuid;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A shuffle server as a coordinator sees one: four disks, and figures that change. */
final class ReportingServer implements CrowdProcess.Member {
  private static final Logger log = LoggerFactory.getLogger(ReportingServer.class);
  private static final int DISKS = 4;
  private static final long GIB = 1L << 30;

  private final ManagedChannel channel;
  private final int number;
  private final Scheduler timers;
  private final Runnable onWelcome;

  // Guarded by this.
  private long rounds;
  private long incarnation = 1;
  private @Nullable Session session;

  ReportingServer(ManagedChannel channel, int number, Scheduler timers, Runnable onWelcome) {
    this.channel = channel;
    this.number = number;
    this.timers = timers;
    this.onWelcome = onWelcome;
  }

  @Override
  public synchronized void begin() {
    Session next = new Session();
    session = next;
    next.open();
  }

  /** Breaks the session and says hello again, as when another leads. */
  @Override
  public synchronized void comeBack() {
    if (session != null) {
      session.leave();
    }
    begin();
  }

  /** Says that it stops, and is back at once with all it had: two changes of state. */
  synchronized void restart() {
    if (session != null) {
      session.send(ServerReport.newBuilder().setStopping(true).setLoad(load()).build());
    }
    incarnation++;
    comeBack();
  }

  private ServerHello hello() {
    return ServerHello.newBuilder()
        .setAddress(
            ServerAddress.newBuilder()
                .setId(Uuid.newBuilder().setHigh(7).setLow(number + 1L))
                .setIncarnation(incarnation)
                .setIntactSince(1)
                .setHost("host-" + number)
                .setPort(7410))
        .setVersion("bench")
        .setHttpAddress("host-" + number + ":7411")
        .setWantsUsers(true)
        .build();
  }

  private ServerLoad load() {
    rounds++;
    ServerLoad.Builder load =
        ServerLoad.newBuilder()
            .setMemoryCapacityBytes(64 * GIB)
            .setMemoryUsedBytes((number * 31L + rounds) % 64 * GIB)
            .setConnections(100 + rounds % 10)
            .setPartitions(1_000 + rounds)
            .setBytesPushed(rounds * GIB)
            .setBytesFetched(rounds * GIB)
            .setBytesSpilled(rounds * GIB / 2);
    for (int disk = 0; disk < DISKS; disk++) {
      load.addDisks(
          DiskLoad.newBuilder()
              .setPath("/data/" + disk)
              .setCapacityBytes(2_000 * GIB)
              .setFreeBytes(1_000 * GIB - rounds)
              .setHealthy(true)
              .setFileSystem("fs-" + disk));
    }
    return load.build();
  }

  private synchronized void report(Session from, long interval) {
    if (from == session) {
      from.send(ServerReport.newBuilder().setLoad(load()).build());
      timers.schedule(interval, () -> report(from, interval));
    }
  }

  /** One stream. */
  private final class Session implements StreamObserver<ServerDirective> {
    private @Nullable StreamObserver<ServerReport> stream;

    void open() {
      stream = ServerServiceGrpc.newStub(channel).session(this);
      send(ServerReport.newBuilder().setHello(hello()).setLoad(load()).build());
    }

    void send(ServerReport report) {
      if (stream != null) {
        stream.onNext(report);
      }
    }

    void leave() {
      if (stream != null) {
        stream.onCompleted();
      }
    }

    @Override
    public void onNext(ServerDirective directive) {
      if (directive.hasWelcome()) {
        long interval =
            TimeUnit.MILLISECONDS.toNanos(directive.getWelcome().getHeartbeatIntervalMillis());
        onWelcome.run();
        // Spread over the interval, as servers that began at different times are.
        timers.schedule(interval * (number % 1_000) / 1_000, () -> report(this, interval));
      }
    }

    @Override
    public void onError(Throwable failure) {
      boolean unexpected;
      synchronized (ReportingServer.this) {
        unexpected = session == this;
        session = unexpected ? null : session;
      }
      if (unexpected) {
        log.error("server {} lost its session", number, failure);
      }
    }

    @Override
    public void onCompleted() {}
  }
}
