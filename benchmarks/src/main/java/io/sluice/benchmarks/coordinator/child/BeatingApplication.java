package io.sluice.benchmarks.coordinator.child;

import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import io.sluice.common.time.Scheduler;
import io.sluice.proto.control.v1.ApplicationServiceGrpc;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.CreateShuffleResponse;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeartbeatApplicationResponse;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RegisterApplicationResponse;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerEvents;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A driver that has registered its application and says that it lives; if it is to, it also places
 * a shuffle and watches servers.
 */
final class BeatingApplication implements CrowdProcess.Member {
  private static final Logger log = LoggerFactory.getLogger(BeatingApplication.class);
  private static final int USERS = 200;

  private final ManagedChannel channel;
  private final int number;
  private final Uuid id;
  private final Scheduler timers;
  private final CrowdProcess.Tally tally;
  private final Runnable onRegistered;
  private volatile List<Uuid> used = List.of();
  private volatile @Nullable Watch watch;

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

  /**
   * Places a shuffle and watches servers from then on.
   *
   * @param onSnapshot run for the first message of each stream
   */
  void watch(int partitions, CrowdProcess.News news, Runnable onSnapshot) {
    ApplicationServiceGrpc.newStub(channel)
        .createShuffle(
            CreateShuffleRequest.newBuilder()
                .setShuffle(ShuffleRef.newBuilder().setApplication(id))
                .setPartitions(partitions)
                .build(),
            new Answer<CreateShuffleResponse>(
                placed -> {
                  used =
                      placed.getPlacement().getServersList().stream()
                          .map(ServerAddress::getId)
                          .toList();
                  watch = new Watch(news, onSnapshot);
                  open();
                }));
  }

  /** Breaks the stream and opens it again, as when another leads. */
  @Override
  public void comeBack() {
    Watch before = watch;
    if (before != null) {
      watch = new Watch(before.news, before.onSnapshot);
      before.context.cancel(null);
      open();
    }
  }

  private void open() {
    Watch next = watch;
    if (next != null) {
      WatchServersRequest request =
          WatchServersRequest.newBuilder()
              .setApplication(id)
              .setOwn(true)
              .addAllServers(used)
              .build();
      next.context.run(() -> ApplicationServiceGrpc.newStub(channel).watchServers(request, next));
    }
  }

  /** One stream of server events. */
  private final class Watch implements StreamObserver<ServerEvents> {
    private final CrowdProcess.News news;
    private final Runnable onSnapshot;
    private final Context.CancellableContext context = Context.ROOT.withCancellation();
    private boolean begun;

    Watch(CrowdProcess.News news, Runnable onSnapshot) {
      this.news = news;
      this.onSnapshot = onSnapshot;
    }

    @Override
    public void onNext(ServerEvents events) {
      news.heard(events.getServersCount(), events.getSerializedSize());
      if (!begun) {
        begun = true;
        onSnapshot.run();
      }
    }

    @Override
    public void onError(Throwable failure) {
      if (watch == this) {
        log.error("application {} lost its watch", number, failure);
      }
    }

    @Override
    public void onCompleted() {}
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
