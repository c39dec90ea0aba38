package io.sluice.client.fetch;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;

import io.sluice.transport.TransportLimits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which requests are under way and which wait for their turn. On the task's thread.
 *
 * <p>Two bounds. All streams under way have a share of the reader's credit, which is memory, and a
 * share is never less than two pieces. And a server has at most {@value #PER_SERVER} streams of one
 * reader: one that sends and one whose request is there already when that ends, so that runs which
 * follow each other cost no round trip each, a reader of many short runs does not take all streams
 * of its connection, and the shares stay large.
 *
 * <p>Those of servers in trouble come last. What they are asked for others are asked for too, if
 * there are any. So when such a server is well again, it takes its runs from the last one back,
 * while whoever stands in for it takes them from the first one on, after its own: the two meet once
 * and do not send the same all the way.
 */
final class Turns {
  static final int PER_SERVER = 2;
  private static final long MIN_SHARE = 2L * TransportLimits.MAX_DATA_BYTES;

  private final Map<Integer, Line> lines = new LinkedHashMap<>();
  private final List<ServerFetch> underWay = new ArrayList<>();
  private final int most;
  private final long share;

  /**
   * @param first whom to ask at first
   * @param replicas whether another server may be asked beside each
   * @param credit bytes that may be under way to the reader in all
   */
  Turns(List<ServerFetch> first, boolean replicas, long credit) {
    add(first);
    long affordable = Math.min(Integer.MAX_VALUE, credit / MIN_SHARE);
    long wanted =
        first.stream().collect(groupingBy(ServerFetch::index, counting())).values().stream()
            .mapToLong(runs -> Math.min(runs, PER_SERVER))
            .sum();
    if (replicas) {
      wanted = Math.max(1, 2 * wanted);
    }
    this.most = (int) (replicas ? Math.min(affordable, wanted) : affordable);
    this.share = credit / Math.max(1, Math.min(affordable, wanted));
  }

  /** Bytes of credit of each stream. */
  long share() {
    return share;
  }

  private void add(List<ServerFetch> more) {
    more.forEach(this::add);
  }

  /** Somebody waits for its turn from here. */
  void add(ServerFetch fetch) {
    lines.computeIfAbsent(fetch.index(), server -> new Line()).add(fetch);
  }

  /** Whose turn it is, which is under way from here; null if nobody's. */
  @Nullable ServerFetch next() {
    if (underWay.size() >= most) {
      return null;
    }
    Line best = null;
    for (Line line : lines.values()) {
      if (line.hasTurn() && (best == null || line.isBefore(best))) {
        best = line;
      }
    }
    if (best == null) {
      return null;
    }
    ServerFetch fetch = best.take();
    underWay.add(fetch);
    return fetch;
  }

  /**
   * One of a server in trouble that is under way while another one waits for nothing but credit;
   * null if there is none.
   */
  @Nullable ServerFetch inTheWay() {
    if (underWay.size() < most || lines.values().stream().noneMatch(Line::hasHopefulTurn)) {
      return null;
    }
    return underWay.stream().filter(ServerFetch::isSuspected).findFirst().orElse(null);
  }

  /** One is not under way any more, if it was. */
  void ended(ServerFetch fetch) {
    if (underWay.remove(fetch)) {
      line(fetch.index()).underWay--;
    }
  }

  private Line line(int server) {
    Line line = lines.get(server);
    if (line == null) {
      throw new IllegalStateException("nothing was ever asked of server " + server);
    }
    return line;
  }

  /** Those that have a stream or will have one again after a pause; a view. */
  List<ServerFetch> underWay() {
    return Collections.unmodifiableList(underWay);
  }

  /** Removes what waits for a server as if that were well. */
  List<ServerFetch> takeHopeful(int server) {
    return takeAll(line(server).hopeful);
  }

  /** Removes what waits for a server. */
  List<ServerFetch> takeWaiting(int server) {
    List<ServerFetch> taken = takeAll(line(server).hopeful);
    taken.addAll(takeAll(line(server).suspected));
    return taken;
  }

  private static List<ServerFetch> takeAll(ArrayDeque<ServerFetch> queue) {
    List<ServerFetch> taken = new ArrayList<>(queue);
    queue.clear();
    return taken;
  }

  boolean isEmpty() {
    return underWay.isEmpty() && lines.values().stream().noneMatch(line -> line.head() != null);
  }

  void clear() {
    underWay.clear();
    lines.clear();
  }

  /** What waits for one server. */
  private static final class Line {
    final ArrayDeque<ServerFetch> hopeful = new ArrayDeque<>();
    final ArrayDeque<ServerFetch> suspected = new ArrayDeque<>();
    int underWay;

    void add(ServerFetch fetch) {
      if (!fetch.isSuspected()) {
        hopeful.addLast(fetch);
      } else if (fetch.isStandIn()) {
        suspected.addLast(fetch);
      } else {
        suspected.addFirst(fetch);
      }
    }

    @Nullable ServerFetch head() {
      return hopeful.isEmpty() ? suspected.peekFirst() : hopeful.peekFirst();
    }

    boolean hasTurn() {
      return underWay < PER_SERVER && head() != null;
    }

    boolean hasHopefulTurn() {
      return underWay < PER_SERVER && !hopeful.isEmpty();
    }

    /** Every server is asked before one is asked for more, those in trouble last. */
    boolean isBefore(Line other) {
      if (hopeful.isEmpty() != other.hopeful.isEmpty()) {
        return !hopeful.isEmpty();
      }
      return underWay < other.underWay;
    }

    ServerFetch take() {
      underWay++;
      return hopeful.isEmpty() ? suspected.removeFirst() : hopeful.removeFirst();
    }
  }
}
