package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The drivers that are told what becomes of servers.
 *
 * <p>What happens within {@link #STATES_NANOS} is one message to each driver, and what only helps
 * to find a place within {@link #TRAITS_NANOS}. A driver that asks for it is told of the servers
 * that it uses, and of some others where partitions may go ({@link Candidates}). Drivers are served
 * a few at a time, so that heartbeats get in between. The arithmetic is in {@code
 * docs/coordinator.md}.
 */
final class Watches {
  /** A server is missed after seconds: what this adds nobody notices. */
  static final long STATES_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** After a change of leader servers come back within two seconds: four messages a driver. */
  static final long TRAITS_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** Servers fill up without an event; so often candidates are counted. */
  static final long REVIEW_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** Events sent in one go take some milliseconds. */
  private static final int SLICE = 5_000;

  /** Servers looked at as candidates in the time that one event takes. */
  private static final int LOOKS_PER_EVENT = 16;

  private final Scheduler scheduler;
  private final KnownServers servers;
  private final Candidates candidates;
  private final Needs needs;
  private final Map<ApplicationId, Set<Watch>> audiences = new LinkedHashMap<>();
  // Who uses a server that is not known.
  private final Map<ServerId, Set<Watch>> awaiting = new HashMap<>();
  // Who is owed something, or is to get other candidates.
  private final Set<Watch> due = new LinkedHashSet<>();
  // What is to be told of next, and after which candidates may be missing.
  private final BitSet states = new BitSet();
  private final BitSet traits = new BitSet();
  private final BitSet lately = new BitSet();
  private @Nullable Cancellable statesDue;
  private @Nullable Cancellable traitsDue;
  private @Nullable Cancellable reviewDue;
  private boolean serving;

  /** What applications need of servers. */
  interface Needs {
    PlacementWishes wishes(ApplicationId application);

    /** Where its data is to stay if it can; empty if it does not matter. */
    String zone(PlacementWishes wishes);

    /** Of its shuffles, as far as this leader made them. */
    Collection<Placement> placements(ApplicationId application);
  }

  Watches(Scheduler scheduler, KnownServers servers, Needs needs) {
    this.scheduler = scheduler;
    this.servers = servers;
    this.candidates = new Candidates(servers);
    this.needs = needs;
  }

  /** Tells a watcher of all servers. */
  Watch beginAll(ApplicationId application, Watcher watcher) {
    return begin(new Watch(application, watcher, servers, null));
  }

  /** Tells a watcher of servers that it uses, and of some others. */
  Watch beginOwn(ApplicationId application, Watcher watcher, Collection<ServerId> used) {
    Scope scope = new Scope();
    Watch watch = new Watch(application, watcher, servers, scope);
    used.forEach(server -> use(watch, scope, server));
    for (Placement placement : needs.placements(application)) {
      placement.servers().forEach(server -> use(watch, scope, server.id()));
    }
    scope.found(candidates.fill(scope, servers.all(), taste(application)));
    if (reviewDue == null) {
      reviewDue = scheduler.schedule(REVIEW_NANOS, this::review);
    }
    return begin(watch);
  }

  private Watch begin(Watch watch) {
    audiences.computeIfAbsent(watch.application(), any -> new LinkedHashSet<>()).add(watch);
    watch.serve();
    return watch;
  }

  private void use(Watch watch, Scope scope, ServerId server) {
    int number = servers.number(server);
    if (number >= 0) {
      scope.use(number);
    } else {
      await(watch, scope, server);
    }
  }

  private void await(Watch watch, Scope scope, ServerId server) {
    scope.awaited().add(server);
    awaiting.computeIfAbsent(server, any -> new LinkedHashSet<>()).add(watch);
  }

  private Candidates.Taste taste(ApplicationId application) {
    PlacementWishes wishes = needs.wishes(application);
    long seed = (application.high() ^ application.low()) * 0x9E3779B97F4A7C15L;
    return new Candidates.Taste(wishes, needs.zone(wishes), seed);
  }

  void end(Watch watch) {
    watch.leave();
    Set<Watch> audience = audiences.get(watch.application());
    if (audience != null && audience.remove(watch) && audience.isEmpty()) {
      audiences.remove(watch.application());
    }
    forget(watch);
  }

  /** Ends those of an application. */
  void end(ApplicationId application, String why) {
    Set<Watch> audience = audiences.remove(application);
    if (audience != null) {
      SluiceException reason = new SluiceException(ErrorCode.UNKNOWN_APPLICATION, why);
      audience.forEach(this::forget);
      audience.forEach(watch -> watch.end(reason));
    }
  }

  private void forget(Watch watch) {
    due.remove(watch);
    Scope scope = watch.scope();
    if (scope != null) {
      for (ServerId server : scope.awaited()) {
        awaiting.computeIfPresent(
            server, (id, who) -> who.remove(watch) && who.isEmpty() ? null : who);
      }
    }
  }

  /** A shuffle lies there: its driver has to hear of these servers. */
  void placed(ApplicationId application, List<ServerAddress> on) {
    Set<Watch> audience = audiences.get(application);
    if (audience == null) {
      return;
    }
    BitSet more = new BitSet();
    for (ServerAddress server : on) {
      int number = servers.number(server.id());
      if (number >= 0) {
        more.set(number);
      }
    }
    for (Watch watch : audience) {
      Scope scope = watch.scope();
      if (scope != null && watch.owe(scope.use(more))) {
        serveSoon(watch);
      }
    }
  }

  void changed(ServerView server) {
    KnownServers.Novelty novelty = servers.note(server);
    ServerId id = server.address().id();
    int number = servers.number(id);
    if (novelty == KnownServers.Novelty.SERVER) {
      came(id, number);
    }
    if (audiences.isEmpty()) {
      return;
    }
    lately.set(number);
    if (novelty == KnownServers.Novelty.STATE) {
      states.set(number);
      if (statesDue == null) {
        statesDue = scheduler.schedule(STATES_NANOS, this::tellStates);
      }
    } else {
      traits.set(number);
    }
    // Also after a change of state: some drivers may have too few candidates then.
    if (traitsDue == null) {
      traitsDue = scheduler.schedule(TRAITS_NANOS, this::tellTraits);
    }
  }

  private void came(ServerId server, int number) {
    Set<Watch> who = awaiting.remove(server);
    if (who == null) {
      return;
    }
    for (Watch watch : who) {
      Scope scope = watch.scope();
      if (scope != null) {
        scope.awaited().remove(server);
        scope.use(number);
      }
    }
  }

  private void tellStates() {
    statesDue = null;
    tell(states);
    states.clear();
  }

  private void tellTraits() {
    traitsDue = null;
    // Drivers that lack candidates, or have lost some, may find others.
    for (Set<Watch> audience : audiences.values()) {
      for (Watch watch : audience) {
        Scope scope = watch.scope();
        if (scope != null && scope.seekAfter(lately)) {
          serveSoon(watch);
        }
      }
    }
    lately.clear();
    tell(traits);
    traits.clear();
  }

  private void tell(BitSet changed) {
    for (Set<Watch> audience : audiences.values()) {
      for (Watch watch : audience) {
        if (watch.owe(changed)) {
          serveSoon(watch);
        }
      }
    }
  }

  private void review() {
    reviewDue = null;
    boolean any = false;
    for (Set<Watch> audience : audiences.values()) {
      for (Watch watch : audience) {
        Scope scope = watch.scope();
        if (scope != null) {
          any = true;
          scope.seek();
          serveSoon(watch);
        }
      }
    }
    if (any) {
      reviewDue = scheduler.schedule(REVIEW_NANOS, this::review);
    }
  }

  private void serveSoon(Watch watch) {
    due.add(watch);
    if (!serving) {
      serving = true;
      scheduler.execute(this::serve);
    }
  }

  private void serve() {
    int left = SLICE;
    while (left > 0 && !due.isEmpty()) {
      Watch watch = due.iterator().next();
      due.remove(watch);
      left -= 1 + serve(watch);
    }
    serving = !due.isEmpty();
    if (serving) {
      scheduler.execute(this::serve);
    }
  }

  /** Returns what it takes, in events. */
  private int serve(Watch watch) {
    Scope scope = watch.scope();
    int looks = 0;
    if (scope != null && !watch.isOver()) {
      BitSet among = scope.seeksEverywhere() ? servers.all() : scope.seeksAmong();
      looks = among.cardinality();
      if (looks > 0) {
        boolean isShort = candidates.fill(scope, among, taste(watch.application()));
        watch.owe(scope.found(isShort));
      }
    }
    return looks / LOOKS_PER_EVENT + watch.serve();
  }

  /** A server that was lost long ago is known no more. */
  void forgotten(ServerId server) {
    int number = servers.number(server);
    if (number < 0) {
      return;
    }
    boolean untold = states.get(number) || traits.get(number);
    servers.forget(server);
    states.clear(number);
    traits.clear(number);
    lately.clear(number);
    for (Set<Watch> audience : audiences.values()) {
      for (Watch watch : audience) {
        Scope scope = watch.scope();
        if (scope != null && scope.all().get(number)) {
          await(watch, scope, server);
        }
        if (watch.forget(number, untold)) {
          serveSoon(watch);
        }
      }
    }
  }

  void close(SluiceException reason) {
    cancel(statesDue);
    cancel(traitsDue);
    cancel(reviewDue);
    due.clear();
    awaiting.clear();
    List<Set<Watch>> ending = List.copyOf(audiences.values());
    audiences.clear();
    ending.forEach(audience -> audience.forEach(watch -> watch.end(reason)));
  }

  private static void cancel(@Nullable Cancellable timer) {
    if (timer != null) {
      timer.cancel();
    }
  }
}
