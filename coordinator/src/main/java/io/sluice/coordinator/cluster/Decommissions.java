package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.registry.StateStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
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
  private final WantedState wanted;
  private final Membership membership;
  private final DrainGuard guard;
  private final Map<DrainWatcher, ServerId> watchers = new LinkedHashMap<>();
  // What the store has been told and has not answered yet; of a server in the order of the calls.
  private final List<Write> underWay = new ArrayList<>();
  private @Nullable SluiceException ended;

  private record Write(ServerId server, boolean begins) {}

  /** What the store is to hold about a server, apart from what it is to hold of the server. */
  private record Wish(ServerId server) {}

  /**
   * @param needs see {@link DrainGuard}
   */
  Decommissions(
      TermContext context, Membership membership, Supplier<Map<PlacementWishes, Integer>> needs) {
    this.scheduler = context.scheduler();
    this.store = context.store();
    this.wanted = context.wanted();
    this.membership = membership;
    this.guard = new DrainGuard(membership, needs, this::isLeaving);
  }

  /**
   * Wants a server empty, as {@link #set}, unless the others that take data are too few then, for
   * any application: none, or fewer than some shuffle has replicas. Jobs that run would fail for it
   * later, and say so of whatever they try then. Again, and for a server that is lost, is harmless.
   *
   * @throws SluiceException TOO_FEW_SERVERS; INVALID_ARGUMENT; COORDINATOR_UNAVAILABLE for the
   *     first seconds of a term
   */
  public CompletionStage<Void> drain(ServerId server) {
    ServerView view = membership.view(server);
    if (view != null && view.state() != ServerState.LOST && !all().contains(server)) {
      guard.requireOthers(view);
    }
    return set(server, true);
  }

  private boolean isLeaving(ServerId server) {
    return underWay.contains(new Write(server, true));
  }

  /**
   * Wants a server empty, whatever is left, or takes that back; again is harmless. The stage
   * completes on the control thread once it would survive this leader and has taken effect. If the
   * store does not say that it keeps it, the stage fails and nothing has changed: the store is to
   * hold what it held before. If the term ends before, the stage fails as the term did, although
   * the next leader may find the wish kept: what becomes of the server is for that one to say.
   *
   * @throws SluiceException INVALID_ARGUMENT if a server that is wanted empty is not known
   */
  public CompletionStage<Void> set(ServerId server, boolean begins) {
    if (begins && membership.view(server) == null && !all().contains(server)) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "no server " + server + " is known");
    }
    Write write = new Write(server, begins);
    underWay.add(write);
    wanted.drop(new Wish(server));
    CompletableFuture<Void> done = new CompletableFuture<>();
    write(server, begins)
        .whenComplete(
            (nothing, failure) -> scheduler.execute(() -> answered(write, failure, done)));
    return done;
  }

  private CompletionStage<Void> write(ServerId server, boolean begins) {
    return begins ? store.putDecommission(server) : store.removeDecommission(server);
  }

  private void answered(Write write, @Nullable Throwable failure, CompletableFuture<Void> done) {
    underWay.remove(write);
    Throwable reason = ended == null ? failure : ended;
    if (reason != null) {
      restore(write.server());
      done.completeExceptionally(reason);
      return;
    }
    apply(write);
    done.complete(null);
  }

  /**
   * A write that failed may have happened all the same: then the next leader would drain a server
   * of which that was refused. If something else is on its way, the store will hold that. Of
   * servers that nobody knows there is nothing to restore, and there could be any number.
   */
  private void restore(ServerId server) {
    boolean begins = all().contains(server);
    boolean known = begins || membership.view(server) != null;
    if (ended == null
        && known
        && underWay.stream().noneMatch(write -> write.server().equals(server))) {
      wanted
          .want(
              new Wish(server),
              "that server " + server + (begins ? " is to be drained" : " is to stay"),
              () -> write(server, begins))
          .exceptionally(failure -> null);
    }
  }

  private void apply(Write write) {
    ServerId server = write.server();
    log.info("server {} is {}", server, write.begins() ? "to be drained" : "to stay");
    membership.decommission(server, write.begins());
    if (!write.begins()) {
      end(
          watch -> watch.getValue().equals(server),
          new SluiceException(ErrorCode.CANCELLED, "server " + server + " is to stay"));
    }
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
