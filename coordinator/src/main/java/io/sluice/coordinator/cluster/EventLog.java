package io.sluice.coordinator.cluster;

import io.sluice.common.time.Clock;
import io.sluice.coordinator.cluster.ClusterEvent.Kind;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The latest {@value #LIMIT} events of a term. */
public final class EventLog {
  /** At 300 bytes each 300 KB; a rolling restart of 100 servers makes 300. */
  static final int LIMIT = 1_000;

  private final Clock clock;
  private final Deque<ClusterEvent> events = new ArrayDeque<>();
  private long last;

  EventLog(Clock clock) {
    this.clock = clock;
  }

  /** Notes what happened. */
  public void add(Kind kind, String subject, String text) {
    if (events.size() == LIMIT) {
      events.removeFirst();
    }
    events.addLast(new ClusterEvent(++last, clock.wallTimeMillis(), kind, subject, text));
  }

  /** The latest events above a number, the oldest of them first. */
  public List<ClusterEvent> after(long number, int limit) {
    List<ClusterEvent> above = events.stream().filter(event -> event.number() > number).toList();
    return above.subList(Math.max(0, above.size() - limit), above.size());
  }

  /** Number of the latest one, 0 before the first. */
  public long last() {
    return last;
  }
}
