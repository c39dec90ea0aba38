package io.sluice.client.epoch;

import io.sluice.client.PlacedServer;
import io.sluice.common.id.ServerId;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Deals partitions out to servers, and remembers who has how many. Used by one thread. */
final class Dealer {
  private final List<LiveServer> live;
  private final Standing standing;
  private final Map<ServerId, Integer> load = new HashMap<>();
  // The latest life of each that must get nothing.
  private final Map<ServerId, Long> avoided = new HashMap<>();

  Dealer(List<LiveServer> live) {
    this.live = live;
    this.standing = Standing.of(live);
  }

  /** Servers that there are. */
  int servers() {
    return live.size();
  }

  /** Gives a life of a server nothing, nor an earlier one. */
  void avoid(PlacedServer server) {
    avoided.merge(server.id(), server.incarnation(), Long::max);
  }

  /** A server has one more of the partitions. */
  void dealt(PlacedServer server) {
    load.merge(server.id(), 1, Integer::sum);
  }

  /**
   * The server for a set with the least load for its weight, apart from those in it if it can be;
   * null if there is none.
   *
   * <p>A partition that is spread goes to a server that never had any of it, else to the one that
   * had some longest ago, whatever their loads; but not nearer to its other copies for that.
   *
   * @param full servers, few, that must not join; a later life of one will do, as with those that
   *     are {@link #avoid avoided}
   * @param had for a partition that is spread, the latest epoch in which a server had it; else
   *     empty
   */
  @Nullable PlacedServer choose(
      List<PlacedServer> set, Collection<PlacedServer> full, Map<ServerId, Integer> had) {
    boolean spread = !had.isEmpty();
    LiveServer best = null;
    double least = Double.MAX_VALUE;
    double nearest = 0;
    int latest = 0;
    for (LiveServer candidate : live) {
      PlacedServer server = candidate.server();
      ServerId id = server.id();
      if (isIn(set, id) || isAvoided(server) || isFull(server, full)) {
        continue;
      }
      double price = standing.price(candidate, set);
      double share = (load.getOrDefault(id, 0) + 1.0) / candidate.weight() * price;
      double near = spread ? price : 0;
      int turn = spread ? had.getOrDefault(id, -1) : 0;
      int order = best == null ? -1 : Double.compare(near, nearest);
      order = order == 0 ? Integer.compare(turn, latest) : order;
      order = order == 0 ? Double.compare(share, least) : order;
      if (order < 0 || (order == 0 && best != null && precedes(id, best.server().id()))) {
        best = candidate;
        least = share;
        nearest = near;
        latest = turn;
      }
    }
    return best == null ? null : best.server();
  }

  private static boolean isIn(List<PlacedServer> set, ServerId id) {
    for (PlacedServer member : set) {
      if (member.id().equals(id)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAvoided(PlacedServer server) {
    Long life = avoided.get(server.id());
    return life != null && life >= server.incarnation();
  }

  private static boolean isFull(PlacedServer server, Collection<PlacedServer> full) {
    for (PlacedServer other : full) {
      if (other.id().equals(server.id()) && other.incarnation() >= server.incarnation()) {
        return true;
      }
    }
    return false;
  }

  /** Any order will do, as long as it does not depend on who registered first. */
  private static boolean precedes(ServerId one, ServerId other) {
    return one.high() != other.high() ? one.high() < other.high() : one.low() < other.low();
  }
}
