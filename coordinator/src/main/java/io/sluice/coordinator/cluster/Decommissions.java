package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.registry.StateStore;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers that operators want empty, and who waits for that. A wish counts once the store keeps it,
 * and until it is taken back.
 */
public final class Decommissions {
  private static final Logger log = LoggerFactory.getLogger(Decommissions.class);

  /** People who wait. */
  static final int MAX_WATCHERS = 1_000;

  private final Scheduler scheduler;
  private final StateStore store;
  private final Membership membership;
  private final IntSupplier mostReplicas;
  private final Map<DrainWatcher, ServerId> watchers = new LinkedHashMap<>();
  // Wanted empty, and not kept yet.
  private final Set<ServerId> underWay = new HashSet<>();
  private @Nullable SluiceException ended;

  /**
   * @param mostReplicas of any shuffle that is there; 0 without shuffles
   */
  Decommissions(
      Scheduler scheduler, StateStore store, Membership membership, IntSupplier mostReplicas) {
    this.scheduler = scheduler;
    this.store = store;
    this.membership = membership;
    this.mostReplicas = mostReplicas;
  }

  /**
   * Wants a server empty, as {@link #set}, unless the others that take data are too few then: none,
   * or fewer than some shuffle has replicas. Jobs that run would fail for it later, and say so of
   * whatever they try then. Again, and for a server that is lost, is harmless.
   *
   * @throws SluiceException TOO_FEW_SERVERS; INVALID_ARGUMENT
   */
  public CompletionStage<Void> drain(ServerId server) {
    ServerView view = membership.view(server);
    if (view != null && view.state() != ServerState.LOST && !all().contains(server)) {
      requireOthers(server);
    }
    return set(server, true);
  }

  private void requireOthers(ServerId server) {
    long left = membership.views().stream().filter(other -> takesData(other, server)).count();
    int replicas = mostReplicas.getAsInt();
    if (left >= Math.max(1, replicas)) {
      return;
    }
    Map<ServerState, Integer> states = membership.countByState();
    states.values().removeIf(count -> count == 0);
    throw new SluiceException(
        ErrorCode.TOO_FEW_SERVERS,
        "without server "
            + server
            + " "
            + left
            + " would take data, and "
            + (left == 0 ? "jobs need one" : "there are shuffles of " + replicas + " replicas")
            + ": known are "
            + states
            + ", excluded by operators "
            + membership.excluded().size()
            + "; add servers first, or force it (--force, ?force=true) and let jobs fail");
  }

  private boolean takesData(ServerView other, ServerId leaving) {
    ServerId id = other.address().id();
    return other.state() == ServerState.ACTIVE
        && !other.excluded()
        && !id.equals(leaving)
        && !underWay.contains(id);
  }

  /**
   * Wants a server empty, whatever is left, or takes that back; again is harmless. The stage
   * completes on the control thread once it would survive this leader and has taken effect. If the
   * term ends before, the stage fails as the term did, although the next leader may find the wish
   * kept: what becomes of the server is for that one to say.
   *
   * @throws SluiceException INVALID_ARGUMENT if a server that is wanted empty is not known
   */
  public CompletionStage<Void> set(ServerId server, boolean begins) {
    if (begins && membership.view(server) == null && !all().contains(server)) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "no server " + server + " is known");
    }
    if (begins) {
      underWay.add(server);
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    CompletionStage<Void> kept =
        begins ? store.putDecommission(server) : store.removeDecommission(server);
    kept.whenComplete(
        (nothing, failure) ->
            scheduler.execute(
                () -> {
                  if (begins) {
                    underWay.remove(server);
                  }
                  Throwable reason = ended == null ? failure : ended;
                  if (reason != null) {
                    done.completeExceptionally(reason);
                    return;
                  }
                  log.info("server {} is {}", server, begins ? "to be drained" : "to stay");
                  membership.decommission(server, begins);
                  if (!begins) {
                    end(
                        watch -> watch.getValue().equals(server),
                        new SluiceException(
                            ErrorCode.CANCELLED, "server " + server + " is to stay"));
                  }
                  done.complete(null);
                }));
    return done;
  }

  /** All servers that are wanted empty. */
  public Set<ServerId> all() {
    return membership.decommissioned();
  }

  /** A server, as it is now; null if it is not known. */
  public @Nullable ServerView server(ServerId server) {
    return membership.view(server);
  }

  /**
   * Tells a watcher of every change of a server from now on, until {@link #unwatch}.
   *
   * @throws SluiceException QUOTA_EXCEEDED; NOT_LEADER if the term has ended
   */
  public void watch(ServerId server, DrainWatcher watcher) {
    if (ended != null) {
      throw ended;
    }
    if (watchers.size() >= MAX_WATCHERS) {
      throw new SluiceException(
          ErrorCode.QUOTA_EXCEEDED, MAX_WATCHERS + " calls wait for servers already");
    }
    watchers.put(watcher, server);
  }

  public void unwatch(DrainWatcher watcher) {
    watchers.remove(watcher);
  }

  void changed(ServerView server) {
    // A watcher may leave when it hears what it waited for.
    List.copyOf(watchers.entrySet()).stream()
        .filter(watch -> watch.getValue().equals(server.address().id()))
        .forEach(watch -> watch.getKey().changed(server));
  }

  void close(SluiceException reason) {
    ended = reason;
    end(watch -> true, reason);
  }

  private void end(Predicate<Map.Entry<DrainWatcher, ServerId>> which, SluiceException reason) {
    List<DrainWatcher> ending =
        watchers.entrySet().stream().filter(which).map(Map.Entry::getKey).toList();
    ending.forEach(watchers::remove);
    ending.forEach(watcher -> watcher.end(reason));
  }
}
