package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.time.Scheduler;
import io.sluice.common.time.Scheduler.Cancellable;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.BitSet;
import java.util.Collection;
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

  /** Drivers served in one go: 100 servers each take some milliseconds. */
  private static final int SLICE = 50;

  private final Scheduler scheduler;
  private final KnownServers servers;
  private final Candidates candidates;
  private final Wants wants;
  private final Map<ApplicationId, Audience> audiences = new LinkedHashMap<>();
  // Who is owed something and may take it.
  private final Set<Watch> due = new LinkedHashSet<>();
  // What is to be told of next, and after which candidates may be missing.
  private final BitSet states = new BitSet();
  private final BitSet traits = new BitSet();
  private final BitSet lately = new BitSet();
  private @Nullable Cancellable statesDue;
  private @Nullable Cancellable traitsDue;
  private boolean serving;
  private int watching;

  /** What an application wants of servers. */
  interface Wants {
    PlacementWishes wishes(ApplicationId application);

    /** Where its data is to stay if it can; empty if it does not matter. */
    String zone(PlacementWishes wishes);
  }

  /** Those who watch for one application, and where this leader has placed its shuffles. */
  private static final class Audience {
    private final Set<Watch> watches = new LinkedHashSet<>();
    private final BitSet placedOn = new BitSet();
  }

  Watches(Scheduler scheduler, KnownServers servers, Wants wants) {
    this.scheduler = scheduler;
    this.servers = servers;
    this.candidates = new Candidates(servers);
    this.wants = wants;
  }

  /** Tells a watcher of all servers. */
  Watch begin(ApplicationId application, Watcher watcher) {
    return begin(application, watcher, (BitSet) null);
  }

  /** Tells a watcher of servers that it uses, and of some others. */
  Watch begin(ApplicationId application, Watcher watcher, Collection<ServerId> used) {
    BitSet scope = (BitSet) audience(application).placedOn.clone();
    for (ServerId server : used) {
      int number = servers.number(server);
      if (number >= 0) {
        scope.set(number);
      }
    }
    fill(application, scope, servers.all());
    return begin(application, watcher, scope);
  }

  private Watch begin(ApplicationId application, Watcher watcher, @Nullable BitSet scope) {
    Watch watch = new Watch(application, watcher, servers, scope);
    audience(application).watches.add(watch);
    watching++;
    watch.ready();
    return watch;
  }

  private Audience audience(ApplicationId application) {
    return audiences.computeIfAbsent(application, any -> new Audience());
  }

  private void fill(ApplicationId application, BitSet scope, BitSet among) {
    PlacementWishes wishes = wants.wishes(application);
    long seed = (application.high() ^ application.low()) * 0x9E3779B97F4A7C15L;
    candidates.fill(scope, among, wishes, wants.zone(wishes), seed);
  }

  void end(Watch watch) {
    watch.leave();
    Audience audience = audiences.get(watch.application());
    if (audience != null && audience.watches.remove(watch)) {
      watching--;
    }
  }

  /** Ends those of an application. */
  void end(ApplicationId application, String why) {
    Audience audience = audiences.remove(application);
    if (audience != null) {
      watching -= audience.watches.size();
      SluiceException reason = new SluiceException(ErrorCode.UNKNOWN_APPLICATION, why);
      audience.watches.forEach(watch -> watch.end(reason));
    }
  }

  /** A shuffle lies there: its driver has to hear of these servers. */
  void placed(ApplicationId application, List<ServerAddress> on) {
    Audience audience = audience(application);
    BitSet more = new BitSet();
    for (ServerAddress server : on) {
      int number = servers.number(server.id());
      if (number >= 0) {
        more.set(number);
      }
    }
    audience.placedOn.or(more);
    for (Watch watch : audience.watches) {
      BitSet scope = watch.scope();
      if (scope != null) {
        tellMore(watch, scope, more);
      }
    }
  }

  private void tellMore(Watch watch, BitSet scope, BitSet more) {
    BitSet added = (BitSet) more.clone();
    added.andNot(scope);
    scope.or(added);
    if (watch.owe(added)) {
      serveSoon(watch);
    }
  }

  void changed(ServerView server) {
    KnownServers.News news = servers.note(server);
    int number = servers.number(server.address().id());
    if (watching == 0) {
      return;
    }
    lately.set(number);
    if (news == KnownServers.News.STATE) {
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

  private void tellStates() {
    statesDue = null;
    tell(states);
    states.clear();
  }

  private void tellTraits() {
    traitsDue = null;
    BitSet all = servers.all();
    audiences.forEach((application, audience) -> refill(application, audience, all));
    lately.clear();
    tell(traits);
    traits.clear();
  }

  /** Drivers that lack candidates, or have lost some, may find others. */
  private void refill(ApplicationId application, Audience audience, BitSet all) {
    for (Watch watch : audience.watches) {
      BitSet scope = watch.scope();
      if (scope != null) {
        BitSet more = (BitSet) scope.clone();
        fill(application, more, scope.intersects(lately) ? all : lately);
        tellMore(watch, scope, more);
      }
    }
  }

  private void tell(BitSet changed) {
    for (Audience audience : audiences.values()) {
      for (Watch watch : audience.watches) {
        if (watch.owe(changed)) {
          serveSoon(watch);
        }
      }
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
    List<Watch> slice = due.stream().limit(SLICE).toList();
    slice.forEach(due::remove);
    slice.forEach(Watch::ready);
    serving = !due.isEmpty();
    if (serving) {
      scheduler.execute(this::serve);
    }
  }

  /** A server that was lost long ago is known no more. */
  void forgotten(ServerId server) {
    int number = servers.number(server);
    if (number < 0) {
      return;
    }
    servers.forget(server);
    states.clear(number);
    traits.clear(number);
    lately.clear(number);
    for (Audience audience : audiences.values()) {
      audience.placedOn.clear(number);
      for (Watch watch : audience.watches) {
        if (watch.forget(number)) {
          serveSoon(watch);
        }
      }
    }
  }

  void close(SluiceException reason) {
    if (statesDue != null) {
      statesDue.cancel();
    }
    if (traitsDue != null) {
      traitsDue.cancel();
    }
    due.clear();
    List<Audience> ending = List.copyOf(audiences.values());
    audiences.clear();
    ending.forEach(audience -> audience.watches.forEach(watch -> watch.end(reason)));
  }
}
