package org.apache.spark.shuffle.sluice.driver;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.EndListener;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.client.control.ServerListener;
import io.sluice.client.control.ServerWatch;
import io.sluice.client.control.ShuffleAhead;
import io.sluice.common.error.Blame;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Placements made by the coordinators. The application is registered with its first shuffle, so
 * that one without shuffles never shows up there, and unregistered when this is closed.
 */
public final class CoordinatedPlacements implements ShufflePlacements {
  /**
   * How long a shuffle that was placed ahead is kept: the next one of the same query comes sooner,
   * and quotas count it meanwhile.
   */
  private static final Duration AHEAD = Duration.ofSeconds(10);

  private final CoordinatorClient coordinators;
  private final Registration registration;
  private final int replicas;
  private final Duration patience;
  private final ServerListener listener;
  private final EndListener end;
  private final Map<Integer, ShuffleKey> placed = new ConcurrentHashMap<>();

  private final NextShuffle next = new NextShuffle();
  private final MadeOnce<Watched> application = new MadeOnce<>(this::register, Watched::end);

  // Guarded by this, under which nobody waits.
  private int highestShuffleId = -1;
  private int highestAhead = -1;
  private int generations;

  /**
   * @param coordinators closed with this
   * @param replicas servers that hold each block
   * @param patience how long a shuffle waits for its place, registering and other shuffles' waiting
   *     included
   * @param listener told what happens to servers from the first shuffle on
   * @param end told if the application is refused for good
   */
  public CoordinatedPlacements(
      CoordinatorClient coordinators,
      Registration registration,
      int replicas,
      Duration patience,
      ServerListener listener,
      EndListener end) {
    this.coordinators = coordinators;
    this.replicas = replicas;
    this.patience = patience;
    this.registration = registration;
    this.listener = listener;
    this.end = end;
  }

  /** The application, and what hears for it of servers. */
  private static final class Watched {
    final RegisteredApplication application;
    private final ServerWatch watch;

    Watched(RegisteredApplication application, ServerWatch watch) {
      this.application = application;
      this.watch = watch;
    }

    void end() {
      watch.close();
      application.close();
    }
  }

  @Override
  public FixedPlacement place(int shuffleId, int partitions) {
    return place(shuffleId, partitions, patience);
  }

  @Override
  public FixedPlacement place(int shuffleId, int partitions, Duration atMost) {
    long deadline = Clock.system().nanoTime() + atMost.toNanos();
    ShuffleKey shuffle = newKey(shuffleId);
    RegisteredApplication known = application.get(deadline).application;
    FixedPlacement placement = prepared(shuffleId, partitions, deadline);
    if (placement == null) {
      placement = asked(known, shuffle, partitions, deadline);
    }
    placed.put(shuffleId, placement.shuffle());
    next.prepare(
        shuffleId,
        partitions,
        (id, count) -> known.createAhead(aheadKey(id), count, replicas, AHEAD));
    return placement;
  }

  private @Nullable FixedPlacement prepared(int shuffleId, int partitions, long deadline) {
    ShuffleAhead ahead = next.claim(shuffleId, partitions);
    if (ahead == null) {
      return null;
    }
    FixedPlacement placement = ahead.take(until(deadline));
    if (placement == null) {
      next.drops(ahead.drop());
      return null;
    }
    if (placement.servers().stream().anyMatch(listener::isAway)) {
      next.drops(ahead.giveBack());
      return null;
    }
    return placement;
  }

  private FixedPlacement asked(
      RegisteredApplication known, ShuffleKey shuffle, int partitions, long deadline) {
    CompletionStage<Boolean> before = next.dropped();
    boolean isOver = before.toCompletableFuture().isDone();
    try {
      return ask(known, shuffle, partitions, deadline);
    } catch (SluiceException e) {
      if (e.code() != ErrorCode.QUOTA_EXCEEDED) {
        throw e;
      }
      CompletionStage<Boolean> dropped = next.dropAll();
      if (isOver && dropped == before) {
        throw e;
      }
      // It may be what nobody took, or has taken yet, that made it too much.
      Waiting.until(deadline, dropped);
    }
    return ask(known, shuffle, partitions, deadline);
  }

  private FixedPlacement ask(
      RegisteredApplication known, ShuffleKey shuffle, int partitions, long deadline) {
    try {
      return known.createOwnShuffle(shuffle, partitions, replicas, List.of(), until(deadline));
    } catch (SluiceException e) {
      if (e.code().blame() == Blame.INTERNAL) {
        // It may have been placed, and whoever did could not say so.
        known.removeShuffle(shuffle);
      }
      throw e;
    }
  }

  private static Duration until(long deadline) {
    return Duration.ofNanos(deadline - Clock.system().nanoTime());
  }

  /**
   * Spark counts its shuffles upwards and uses no number twice. Should a line of Spark do so, or
   * was the number placed ahead, the shuffle gets a generation that no shuffle of this application
   * has had.
   */
  private synchronized ShuffleKey newKey(int shuffleId) {
    boolean first = shuffleId > highestShuffleId && shuffleId > highestAhead;
    highestShuffleId = Math.max(highestShuffleId, shuffleId);
    return new ShuffleKey(registration.application(), shuffleId, first ? 0 : ++generations);
  }

  /** Never one that was placed before: what is placed ahead and not used is removed. */
  private synchronized ShuffleKey aheadKey(int shuffleId) {
    boolean first = shuffleId > highestShuffleId && shuffleId > highestAhead;
    highestAhead = Math.max(highestAhead, shuffleId);
    return new ShuffleKey(registration.application(), shuffleId, first ? 0 : ++generations);
  }

  private Watched register(Duration atMost) {
    RegisteredApplication registered = coordinators.registerApplication(registration, atMost);
    ServerWatch watch = registered.watchServers(listener);
    registered.whenEnded(end);
    return new Watched(registered, watch);
  }

  @Override
  public void remove(int shuffleId, Collection<ServerId> servers) {
    ShuffleKey shuffle = placed.remove(shuffleId);
    if (shuffle == null) {
      return; // A local one, for which there may be no application yet.
    }
    Watched known = application.known();
    if (known != null) {
      known.application.removeShuffle(shuffle, servers);
    }
  }

  @Override
  public void moved(ShuffleKey shuffle, Collection<PlacedServer> servers) {
    Watched known = application.known();
    if (known != null) {
      known.application.moved(shuffle, servers);
    }
  }

  /** Ends waits for places too. An application that is just being registered ends by its lease. */
  @Override
  public void close() {
    Watched known = application.end();
    try {
      if (known != null) {
        known.end();
      }
    } finally {
      coordinators.close();
    }
  }
}
