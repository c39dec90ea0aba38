package io.sluice.benchmarks.coordinator.child;

import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.sluice.common.time.Scheduler;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeartbeatApplicationResponse;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import io.sluice.proto.control.v1.Uuid;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A driver that has registered its application and says that it lives. */
final class BeatingApplication implements CrowdProcess.Member {
  private static final Logger log = LoggerFactory.getLogger(BeatingApplication.class);
  private static final int USERS = 200;

  private final ManagedChannel channel;
  private final int number;
  private final Uuid id;
  private final Scheduler timers;
  private final CrowdProcess.Tally tally;
  private final Runnable onRegistered;

  BeatingApplication(
      ManagedChannel channel,
      int number,
      Scheduler timers,
      CrowdProcess.Tally tally,
      Runnable onRegistered) {
    this.channel = channel;
    this.number = number;
    this.id = Uuid.newBuilder().setHigh(9).setLow(number + 1L).build();
    this.timers = timers;
    this.tally = tally;
    this.onRegistered = onRegistered;
  }

  @Override
  public void begin() {
    RegisterApplicationRequest request =
        RegisterApplicationRequest.newBuilder()
            .setApplication(id)
            .setEngineId("application-" + number)
            .setUser("user-" + number % USERS)
            .setEngine("spark")
            .setClientVersion("bench")
            .build();
    ApplicationServiceGrpc.newStub(channel)
        .registerApplication(request, new Answer<>(this::registered));
  }

  private void registered(RegisterApplicationResponse terms) {
    onRegistered.run();
    long interval = TimeUnit.MILLISECONDS.toNanos(terms.getHeartbeatIntervalMillis());
    timers.schedule(interval * (number % 1_000) / 1_000, () -> beat(interval));
  }

  private void beat(long interval) {
    long begin = timers.clock().nanoTime();
    ApplicationServiceGrpc.newStub(channel)
        .heartbeatApplication(
            HeartbeatApplicationRequest.newBuilder().setApplication(id).build(),
            new Answer<HeartbeatApplicationResponse>(
                beat -> tally.answered(timers.clock().nanoTime() - begin, true)));
    timers.schedule(interval, () -> beat(interval));
  }

  /** Takes one answer; one that does not come well is counted. */
  private final class Answer<T> implements StreamObserver<T> {
    private final Consumer<T> taker;

    Answer(Consumer<T> taker) {
      this.taker = taker;
    }

    @Override
    public void onNext(T answer) {
      taker.accept(answer);
    }

    @Override
    public void onError(Throwable failure) {
      tally.answered(0, false);
      log.error("application {} was refused", number, failure);
    }

    @Override
    public void onCompleted() {}
  }
}
