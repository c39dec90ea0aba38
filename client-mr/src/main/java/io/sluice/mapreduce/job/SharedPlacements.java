package io.sluice.mapreduce.job;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.epoch.EpochMint;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.Scheduler;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The placements of a job's one shuffle. There is no driver that makes them, so any task may: what
 * counts is who appends a version to the log first. A task that finds a placement whose lease is
 * fresh asks no coordinator at all. Thread-safe.
 */
final class SharedPlacements implements PlacementSource {
  private static final Logger LOG = LoggerFactory.getLogger(SharedPlacements.class);

  /**
   * Versions lost to other tasks before giving up. Each time some task has got its way, and mostly
   * with what this one wanted too.
   */
  private static final long UNANSWERED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private static final int ROUNDS = 32;

  /** Renewals in a lease. */
  private static final int RENEWALS = 4;

  private final ShuffleSpec spec;
  private final ShuffleKey shuffle;
  private final PlacementLog log;
  private final Coordinators coordinators;
  private final Executor executor;
  private final Clock clock;
  private final MissedServers missed;
  // When a coordinator was last asked about a server in vain.
  private volatile @Nullable Long unansweredSince;

  /**
   * @param executor where files and coordinators are waited for
   */
  SharedPlacements(
      ShuffleSpec spec,
      PlacementLog log,
      Coordinators coordinators,
      Executor executor,
      Clock clock) {
    this.spec = spec;
    this.shuffle = spec.key();
    this.log = log;
    this.coordinators = coordinators;
    this.executor = executor;
    this.clock = clock;
    this.missed = new MissedServers(clock);
  }

  /**
   * The newest placement; the first one is made if there is none.
   *
   * @throws SluiceException as {@link Coordinators#place}
   */
  FixedPlacement newest() throws IOException {
    PlacementLog.Version known = log.newest();
    if (known == null) {
      // First, so that a task that outlives its job registers nothing.
      log.begin();
      log.append(0, coordinators.place(shuffle, spec.partitions(), spec.replicas()));
      known = log.newest();
    } else if (isOld(known)) {
      PlacementLog.Version old = known;
      inBackground(() -> renew(old));
    }
    if (known == null) {
      throw new IOException("the placement of " + shuffle + " is gone: has the job ended?");
    }
    return known.placement();
  }

  private boolean isOld(PlacementLog.Version known) {
    return clock.wallTimeMillis() - known.renewedMillis() > spec.leaseMillis() / RENEWALS;
  }

  /**
   * Has the lease renewed for as long as the task runs, whenever a quarter of it is over since any
   * task did.
   *
   * @param timer ends this when it ends
   */
  void keepRenewing(Scheduler timer) {
    timer.schedule(
        TimeUnit.MILLISECONDS.toNanos(spec.leaseMillis() / RENEWALS),
        () -> {
          inBackground(this::renewIfOld);
          keepRenewing(timer);
        });
  }

  private void renewIfOld() {
    try {
      PlacementLog.Version known = log.newest();
      if (known != null && isOld(known)) {
        renew(known);
      }
    } catch (IOException e) {
      LOG.warn("whether the lease of {} has to be renewed is not known", shuffle, e);
    }
  }

  private void renew(PlacementLog.Version known) {
    try {
      coordinators.renew();
      log.renewed(known, clock.wallTimeMillis());
    } catch (IOException | SluiceException e) {
      // What the job has does not need a coordinator; whatever does will say so.
      LOG.warn("the lease of {} was not renewed", shuffle, e);
    }
  }

  private void inBackground(Runnable work) {
    try {
      executor.execute(work);
    } catch (RejectedExecutionException e) {
      LOG.debug("the task ends: another one will renew the lease", e);
    }
  }

  @Override
  public CompletionStage<ShufflePlacement> atLeast(
      ShuffleKey asked, int epochs, List<Complaint> complaints) {
    return whenAsked(() -> next(epochs, complaints));
  }

  /**
   * A task that cannot reach a server asks coordinators, which is what a driver knows it from. With
   * replicas nobody is asked about the first: other members do, and a session with a coordinator
   * for each task that cannot reach a server would be many at once.
   */
  @Override
  public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
    if (missed.andOthers(server.id()) < spec.replicas()) {
      return CompletableFuture.completedFuture(Whereabouts.UNKNOWN);
    }
    return whenAsked(() -> whereaboutsNow(server))
        .exceptionally(
            failure -> {
              LOG.info("what becomes of server {} cannot be found out", server, failure);
              return Whereabouts.UNKNOWN;
            });
  }

  /**
   * Many servers may be missed at once, and each question waits for a coordinator as long as the
   * one before: so those behind one that none answered go without.
   */
  private Whereabouts whereaboutsNow(PlacedServer server) throws InterruptedException {
    Long since = unansweredSince;
    if (since != null && clock.nanoTime() - since < UNANSWERED_NANOS) {
      return Whereabouts.UNKNOWN;
    }
    unansweredSince = null;
    try {
      return coordinators.servers().whereabouts(server);
    } catch (SluiceException failure) {
      unansweredSince = clock.nanoTime();
      throw failure;
    }
  }

  /** What takes files or coordinators to answer. */
  private interface Question<T> {
    T ask() throws IOException, InterruptedException;
  }

  private <T> CompletionStage<T> whenAsked(Question<? extends T> question) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      executor.execute(
          () -> {
            try {
              answer.complete(question.ask());
            } catch (InterruptedException e) {
              answer.completeExceptionally(
                  new SluiceException(ErrorCode.SHUTTING_DOWN, "the task ends", e));
            } catch (IOException e) {
              answer.completeExceptionally(
                  new SluiceException(
                      ErrorCode.NO_SERVERS, "the placements of " + shuffle + " cannot be read", e));
            } catch (RuntimeException e) {
              answer.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(
          new SluiceException(ErrorCode.SHUTTING_DOWN, "the task ends", e));
    }
    return answer;
  }

  private FixedPlacement next(int epochs, List<Complaint> complaints)
      throws IOException, InterruptedException {
    for (int round = 0; round < ROUNDS; round++) {
      PlacementLog.Version known = log.newest();
      if (known == null) {
        throw new SluiceException(ErrorCode.UNKNOWN_SHUFFLE, shuffle + " has no placement");
      }
      if (known.placement().epochs() >= epochs) {
        return known.placement();
      }
      FixedPlacement next = withoutTroubled(known.placement(), complaints);
      if (next.epochs() < epochs) {
        throw new SluiceException(
            ErrorCode.NO_SERVERS, "nothing to change for " + shuffle + " after " + complaints);
      }
      if (log.append(known.number() + 1, next)) {
        LOG.warn("{} has epoch {} now: {}", shuffle, next.epochs() - 1, complaints);
        return next;
      }
    }
    throw new SluiceException(
        ErrorCode.NO_SERVERS, "other tasks made " + ROUNDS + " epochs of " + shuffle + " first");
  }

  private FixedPlacement withoutTroubled(FixedPlacement known, List<Complaint> complaints)
      throws InterruptedException {
    return EpochMint.next(known, complaints, coordinators.servers());
  }
}
