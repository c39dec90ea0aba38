package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Whether a server can be spared: whether enough others take data, for every application those that
 * it may use. Servers count that this leader has heard, and no others: a new leader takes each for
 * active that the one before has left it, and learns from the first report whether it lives, and
 * what it has. While it may be that those it has not heard make enough, it cannot say. That passes:
 * a server that stays silent is suspect soon.
 */
final class DrainGuard {
  private final Membership membership;
  private final Supplier<Map<PlacementWishes, Integer>> needs;
  private final Predicate<ServerId> leaving;

  /**
   * @param needs how many servers are needed, by what these must have
   * @param leaving whether a server is to be drained as well, although its state does not say so
   */
  DrainGuard(
      Membership membership,
      Supplier<Map<PlacementWishes, Integer>> needs,
      Predicate<ServerId> leaving) {
    this.membership = membership;
    this.needs = needs;
    this.leaving = leaving;
  }

  /** What is left for those who need the same. */
  private record Left(PlacementWishes wishes, int needed, List<ServerView> servers) {
    private long heard() {
      return servers.stream()
          .filter(server -> server.hasReported() && server.suits(wishes))
          .limit(needed)
          .count();
    }

    boolean isEnough() {
      return heard() >= needed;
    }

    boolean mayBeEnough() {
      return heard() + servers.stream().filter(server -> !server.hasReported()).count() >= needed;
    }
  }

  /**
   * @throws SluiceException TOO_FEW_SERVERS; COORDINATOR_UNAVAILABLE if this leader has not heard
   *     enough servers to say
   */
  void requireOthers(ServerView server) {
    List<ServerView> others =
        membership.views().stream().filter(other -> takesData(other, server)).toList();
    List<Left> missing =
        needs.get().entrySet().stream()
            .filter(need -> maySuit(server, need.getKey()))
            .map(need -> new Left(need.getKey(), need.getValue(), others))
            .filter(left -> !left.isEnough())
            .toList();
    for (Left left : missing) {
      if (!isUnheard(server) && !left.mayBeEnough()) {
        throw tooFew(server, left);
      }
    }
    if (!missing.isEmpty()) {
      throw unheard();
    }
  }

  private boolean takesData(ServerView other, ServerView server) {
    ServerId id = other.address().id();
    return other.state() == ServerState.ACTIVE
        && !other.excluded()
        && !id.equals(server.address().id())
        && !leaving.test(id);
  }

  /** Whether its leaving may take anything from applications with such wishes. */
  private static boolean maySuit(ServerView server, PlacementWishes wishes) {
    return !server.hasReported() || server.suits(wishes);
  }

  /** Whether what is to be known of it is about to be. */
  private static boolean isUnheard(ServerView server) {
    return server.state() == ServerState.ACTIVE && !server.hasReported();
  }

  private SluiceException tooFew(ServerView server, Left left) {
    Map<ServerState, Integer> states = membership.countByState();
    states.values().removeIf(count -> count == 0);
    long rest = left.heard();
    return new SluiceException(
        ErrorCode.TOO_FEW_SERVERS,
        "without server "
            + server.address().id()
            + " "
            + rest
            + " would take data"
            + ofWhom(left.wishes())
            + ", and "
            + (rest == 0 ? "jobs need one" : "there are shuffles of " + left.needed() + " replicas")
            + ": known are "
            + states
            + ", excluded by operators "
            + membership.excluded().size()
            + "; add servers first, or force it (--force, ?force=true) and let jobs fail");
  }

  private static String ofWhom(PlacementWishes wishes) {
    if (wishes.tags().isEmpty()) {
      return wishes.grpc() ? " of applications whose transport is grpc" : "";
    }
    return " of applications that ask for tags "
        + wishes.tags()
        + (wishes.grpc() ? " and the transport grpc" : "");
  }

  private SluiceException unheard() {
    List<ServerView> active =
        membership.views().stream().filter(view -> view.state() == ServerState.ACTIVE).toList();
    return new SluiceException(
        ErrorCode.COORDINATOR_UNAVAILABLE,
        "a new leader has heard from "
            + active.stream().filter(ServerView::hasReported).count()
            + " of "
            + active.size()
            + " servers so far, too few to know whether this one can be spared");
  }
}
