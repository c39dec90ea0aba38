package io.sluice.coordinator.cluster;

import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.membership.ServerView;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The servers by small numbers, so that a set of them is a bit each: 625 bytes for 5,000, where a
 * set of ids is a quarter of a megabyte. And how each fares, made once for all who are to be told.
 */
final class KnownServers {
  /** What is told of a server's load may be as old as the report it is from. */
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final Clock clock;
  private final Function<ServerId, @Nullable ServerView> membership;
  private final Map<ServerId, Integer> numbers = new HashMap<>();
  private final List<@Nullable Known> known = new ArrayList<>();
  private final BitSet free = new BitSet();

  /** How much of a server is new to drivers. */
  enum Novelty {
    /** It was not known. */
    SERVER,
    /** What becomes of data there, or whether more may go there. */
    STATE,
    /** What it has and where it stands: of interest to who looks for a place. */
    TRAITS
  }

  private static final class Known {
    private ServerView view;
    private long since;

    Known(ServerView view, long since) {
      this.view = view;
      this.since = since;
    }
  }

  KnownServers(
      Clock clock, List<ServerView> all, Function<ServerId, @Nullable ServerView> membership) {
    this.clock = clock;
    this.membership = membership;
    all.forEach(this::note);
  }

  /** Takes up how a server fares now, and gives it a number if it has none. */
  Novelty note(ServerView view) {
    Integer number = numbers.get(view.address().id());
    if (number == null) {
      add(view);
      return Novelty.SERVER;
    }
    Known one = at(number);
    ServerView before = one.view;
    one.view = view;
    one.since = clock.nanoTime();
    boolean same =
        before.address().equals(view.address())
            && before.state() == view.state()
            && before.lostIncarnation() == view.lostIncarnation();
    return same ? Novelty.TRAITS : Novelty.STATE;
  }

  private void add(ServerView view) {
    int number = free.isEmpty() ? known.size() : free.nextSetBit(0);
    if (number == known.size()) {
      known.add(null);
    }
    free.clear(number);
    known.set(number, new Known(view, clock.nanoTime()));
    numbers.put(view.address().id(), number);
  }

  /** Its number, or -1 if it is not known. */
  int number(ServerId id) {
    return numbers.getOrDefault(id, -1);
  }

  /** Frees its number, for another one. */
  void forget(ServerId id) {
    Integer number = numbers.remove(id);
    if (number != null) {
      known.set(number, null);
      free.set(number);
    }
  }

  /** Of a number that is in use. */
  ServerView view(int number) {
    Known one = at(number);
    long now = clock.nanoTime();
    if (now - one.since > FRESH_NANOS) {
      ServerView view = membership.apply(one.view.address().id());
      one.view = view == null ? one.view : view;
      one.since = now;
    }
    return one.view;
  }

  List<ServerView> views(BitSet which) {
    List<ServerView> views = new ArrayList<>(which.cardinality());
    for (int i = which.nextSetBit(0); i >= 0; i = which.nextSetBit(i + 1)) {
      views.add(view(i));
    }
    return views;
  }

  /** All numbers in use. */
  BitSet all() {
    BitSet all = new BitSet(known.size());
    all.set(0, known.size());
    all.andNot(free);
    return all;
  }

  /** Numbers in use are below this. */
  int end() {
    return known.size();
  }

  private Known at(int number) {
    Known one = known.get(number);
    if (one == null) {
      throw new IllegalStateException("no server has number " + number);
    }
    return one;
  }
}
