package io.sluice.mapreduce.job;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerStatus;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What coordinators say of servers, and waiting for it. Whether a server is lost is theirs to say:
 * a task that cannot reach one knows nothing but that there is no way from here to there.
 * Thread-safe.
 */
final class ServerNews implements ServerListener {
  /**
   * How long a server has to be heard by coordinators after a task has given up reaching it: one
   * that died just now has not been missed yet. Twice the default of
   * coordinator.server.suspect-after.
   */
  static final Duration SETTLE = Duration.ofSeconds(10);

  private final ServerBook servers;
  private final Clock clock;
  private final Duration settle;
  // Guarded by this.
  private boolean heard;

  /**
   * @param servers told of all news
   * @param settle see {@link #SETTLE}
   */
  ServerNews(ServerBook servers, Clock clock, Duration settle) {
    this.servers = servers;
    this.clock = clock;
    this.settle = settle;
  }

  @Override
  public synchronized void snapshot(List<ServerStatus> all) {
    servers.snapshot(all);
    heard = true;
    notifyAll();
  }

  @Override
  public synchronized void changed(ServerStatus server) {
    servers.changed(server);
    notifyAll();
  }

  @Override
  public synchronized void unheard() {
    servers.unheard();
  }

  /**
   * All servers, once a coordinator has said which there are.
   *
   * @throws SluiceException COORDINATOR_UNAVAILABLE if none says so in time
   */
  synchronized ServerBook await(Duration patience) throws InterruptedException {
    long start = clock.nanoTime();
    while (!heard) {
      long left = patience.toNanos() - (clock.nanoTime() - start);
      if (left <= 0) {
        throw new SluiceException(
            ErrorCode.COORDINATOR_UNAVAILABLE, "no coordinator has said which servers there are");
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return servers;
  }

  /**
   * What becomes of a server that cannot be reached. Waits while coordinators do not hear it
   * either, until they have given it up or hear it again.
   *
   * @param patience for that; after it the server counts as not given up
   */
  synchronized ServerFate fate(PlacedServer server, Duration patience) throws InterruptedException {
    long start = clock.nanoTime();
    boolean wasSilent = false;
    while (!servers.isLost(server)) {
      boolean silent = servers.isSilent(server);
      if (wasSilent && !silent) {
        return ServerFate.BACK;
      }
      wasSilent = silent;
      Duration most = silent ? patience : settle;
      long left = most.toNanos() - (clock.nanoTime() - start);
      if (left <= 0) {
        return ServerFate.ALIVE;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    return ServerFate.LOST;
  }
}
