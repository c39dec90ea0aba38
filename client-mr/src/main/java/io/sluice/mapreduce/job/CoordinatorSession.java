package io.sluice.mapreduce.job;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a task asks of coordinators. The first call that needs one registers the job, which it
 * renews if another task has registered it. Thread-safe; calls wait for answers.
 */
final class CoordinatorSession implements Coordinators {
  private final Supplier<CoordinatorClient> connect;
  private final Registration registration;
  private final ServerNews news;
  private final Duration deadline;

  // Guarded by this.
  private @Nullable CoordinatorClient coordinators;
  private @Nullable RegisteredApplication application;
  private boolean watching;
  private boolean closed;

  /**
   * @param connect called once, if a coordinator is needed: most tasks do without
   * @param news told of servers from the first question about them on
   * @param deadline how long to wait for news of servers
   */
  CoordinatorSession(
      Supplier<CoordinatorClient> connect,
      Registration registration,
      ServerNews news,
      Duration deadline) {
    this.connect = connect;
    this.registration = registration;
    this.news = news;
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
    if (closed) {
      // A renewal in the background that was late.
      throw new SluiceException(ErrorCode.SHUTTING_DOWN, "the task ends");
    }
    CoordinatorClient known = coordinators;
    if (known == null) {
      known = connect.get();
      coordinators = known;
    }
    return known;
  }

  @Override
  public ServerBook servers() throws InterruptedException {
    watch();
    return news.await(deadline);
  }

  @Override
  public ServerFate fate(PlacedServer server) throws InterruptedException {
    watch();
    news.await(deadline);
    return news.fate(server, deadline);
  }

  private synchronized void watch() {
    if (!watching) {
      // Ends with the client.
      application().watchServers(news);
      watching = true;
    }
  }

  @Override
  public Optional<SluiceException> endedBecause() {
    CoordinatorClient asked;
    try {
      asked = coordinators();
    } catch (SluiceException e) {
      // The task ends, or its settings are wrong: that is not why whatever asks has failed.
      return Optional.empty();
    }
    return asked.endedBecause(registration);
  }

  @Override
  public void end() {
    application().end();
  }

  @Override
  public void close() {
    CoordinatorClient known;
    synchronized (this) {
      closed = true;
      known = coordinators;
    }
    if (known != null) {
      known.close();
    }
  }
}
