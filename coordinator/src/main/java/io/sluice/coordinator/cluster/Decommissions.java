package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.registry.StateStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
  private final Map<DrainWatcher, ServerId> watchers = new LinkedHashMap<>();
  private @Nullable SluiceException ended;

  Decommissions(Scheduler scheduler, StateStore store, Membership membership) {
    this.scheduler = scheduler;
    this.store = store;
    this.membership = membership;
  }

  /**
   * Wants a server empty, or takes that back; again is harmless. The stage completes on the control
   * thread once it would survive this leader and has taken effect. If the term ends before, the
   * stage fails as the term did, although the next leader may find the wish kept: what becomes of
   * the server is for that one to say.
   *
   * @throws SluiceException INVALID_ARGUMENT if a server that is wanted empty is not known
   */
  public CompletionStage<Void> set(ServerId server, boolean begins) {
    if (begins && membership.view(server) == null && !all().contains(server)) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "no server " + server + " is known");
    }
    CompletableFuture<Void> done = new CompletableFuture<>();
    CompletionStage<Void> kept =
        begins ? store.putDecommission(server) : store.removeDecommission(server);
    kept.whenComplete(
        (nothing, failure) ->
            scheduler.execute(
                () -> {
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
