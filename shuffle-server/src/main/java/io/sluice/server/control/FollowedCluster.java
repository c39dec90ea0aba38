package io.sluice.server.control;

import io.sluice.common.config.HostPort;
import io.sluice.common.id.ClusterId;
import io.sluice.proto.control.v1.Leader;
import io.sluice.proto.control.v1.ServerDirective;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which cluster this process follows, from the first leader that it is told of, and the latest term
 * it has heard of. A coordinator that was started with a wrong ZooKeeper, or a wrong root in it,
 * leads a cluster of its own and would take over every server that tries its list while another
 * leader is elected.
 *
 * <p>A leader of a version before names no cluster: it is judged by its term alone.
 *
 * <p>For the session's scheduler, but for {@link #problem}.
 */
final class FollowedCluster {
  /**
   * So long without a leader of its own, a server believes any: its registry was lost, or moved. A
   * quorum may be away for minutes and come back to its data; ten times the 30 s
   * (coordinator.server.lost-after) after which an own leader that lives counts the server as lost.
   */
  static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final Logger log = LoggerFactory.getLogger(FollowedCluster.class);

  private Optional<ClusterId> cluster = Optional.empty();
  private long highestTerm;
  private long heardNanos;
  // Refused since a leader was believed last: each is logged once.
  private final Set<HostPort> refused = new HashSet<>();
  private volatile Optional<String> problem = Optional.empty();

  /** Why the leader that was heard last is not followed; empty if it is. Any thread. */
  Optional<String> problem() {
    return problem;
  }

  /** Until now there was a session with a leader that is believed. */
  void heard(long now) {
    heardNanos = now;
  }

  /**
   * Whether to obey a leader. If so, its cluster is the one that is followed.
   *
   * @param first what it says first
   * @param now nanoseconds of the scheduler's clock
   */
  boolean believes(HostPort coordinator, ServerDirective first, long now) {
    Leader leader = first.getLeader();
    Optional<ClusterId> named =
        leader.hasCluster()
            ? Optional.of(ClusterId.of(leader.getCluster().getHigh(), leader.getCluster().getLow()))
            : Optional.empty();
    long term = first.hasLeader() ? leader.getTerm() : first.getWelcome().getTerm();
    boolean foreign = named.isPresent() && cluster.isPresent() && !named.equals(cluster);
    // 0: one of a version before, that fences and does not say whose word it is.
    boolean overtaken = term != 0 && term < highestTerm;
    if (foreign || overtaken) {
      String what = "coordinator " + coordinator + " leads term " + term + of(named);
      if (now - heardNanos < PATIENCE_NANOS) {
        refuse(coordinator, what, foreign);
        return false;
      }
      log.warn(
          "{} is followed from now on: no leader of term {}{} was heard for {} s",
          what,
          highestTerm,
          of(cluster),
          TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS));
      cluster = named;
      highestTerm = term;
    } else {
      cluster = named.or(() -> cluster);
      highestTerm = Math.max(highestTerm, term);
    }
    heardNanos = now;
    refused.clear();
    problem = Optional.empty();
    return true;
  }

  private void refuse(HostPort coordinator, String what, boolean foreign) {
    String why = what + ", this server follows term " + highestTerm + of(cluster);
    problem = Optional.of(why);
    if (!refused.add(coordinator)) {
      return;
    }
    if (foreign) {
      log.error(
          "{}: it is not obeyed. Look at coordinator.zookeeper.connect and"
              + " coordinator.zookeeper.root of {}, and at server.coordinators here",
          why,
          coordinator);
    } else {
      log.warn("{}: it is not obeyed, another has replaced it", why);
    }
  }

  private static String of(Optional<ClusterId> cluster) {
    return cluster.map(id -> " of cluster " + id).orElse("");
  }
}
