package io.sluice.mapreduce.job;

import io.sluice.client.FixedPlacement;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a task asks of coordinators. The first call that needs one registers the job, which it
 * renews if another task has registered it. Thread-safe; calls wait for answers.
 */
final class CoordinatorSession implements Coordinators {
  private final Supplier<CoordinatorClient> connect;
  private final Registration registration;
  private final ServerBook servers;
  private final Duration deadline;
  private final CountDownLatch heard = new CountDownLatch(1);

  // Guarded by this.
  private @Nullable CoordinatorClient coordinators;
  private @Nullable RegisteredApplication application;
  private boolean watching;

  /**
   * @param connect called once, if a coordinator is needed: most tasks do without
   * @param deadline how long to wait for the first news of servers
   */
  CoordinatorSession(
      Supplier<CoordinatorClient> connect,
      Registration registration,
      ServerBook servers,
      Duration deadline) {
    this.connect = connect;
    this.registration = registration;
    this.servers = servers;
    this.deadline = deadline;
  }

  @Override
  public void renew() {
    application();
  }

  @Override
  public FixedPlacement place(ShuffleKey shuffle, int partitions, int replicas) {
    return application().createShuffle(shuffle, partitions, replicas, List.of());
  }

  private synchronized RegisteredApplication application() {
    RegisteredApplication known = application;
    if (known == null) {
      known = coordinators().registerApplication(registration);
      application = known;
    }
    return known;
  }

  private synchronized CoordinatorClient coordinators() {
    CoordinatorClient known = coordinators;
    if (known == null) {
      known = connect.get();
      coordinators = known;
    }
    return known;
  }

  @Override
  public ServerBook servers() throws InterruptedException {
    synchronized (this) {
      if (!watching) {
        // Ends with the client.
        application().watchServers(new Listener());
        watching = true;
      }
    }
    if (!heard.await(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new SluiceException(
          ErrorCode.COORDINATOR_UNAVAILABLE, "no coordinator has said which servers there are");
    }
    return servers;
  }

  /**
   * Ends the job: everything that it stored is dropped.
   *
   * @throws SluiceException if no coordinator has said so
   */
  @Override
  public void end() {
    application().end();
  }

  @Override
  public void close() {
    CoordinatorClient known;
    synchronized (this) {
      known = coordinators;
    }
    if (known != null) {
      known.close();
    }
  }

  private final class Listener implements ServerListener {
    @Override
    public void snapshot(List<ServerStatus> all) {
      servers.snapshot(all);
      heard.countDown();
    }

    @Override
    public void changed(ServerStatus server) {
      servers.changed(server);
    }
  }
}
