package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.application.ShuffleSpec;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.Candidate;
import io.sluice.coordinator.placement.FreeCapacity;
import io.sluice.coordinator.placement.Leaning;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which of the servers can take partitions at one moment, and what to say if those are too few. */
record Supply(List<ServerView> servers) {
  /**
   * Servers for a shuffle, at least as many as a replica set needs.
   *
   * @throws SluiceException NO_SERVERS, COORDINATOR_UNAVAILABLE for the first seconds of a term
   */
  List<Candidate> candidates(ShuffleSpec spec, Set<ServerId> excluded) {
    requireReports();
    List<Leaning.Offer> candidates = new ArrayList<>();
    for (ServerView server : servers) {
      long weight = FreeCapacity.of(server.load());
      if (server.state() == ServerState.ACTIVE
          && weight > 0
          && !server.excluded()
          && !excluded.contains(server.address().id())) {
        candidates.add(
            new Leaning.Offer(
                new Candidate(server.address(), weight), FreeCapacity.whenEmpty(server.load())));
      }
    }
    if (candidates.size() < spec.replicas()) {
      throw new SluiceException(
          ErrorCode.NO_SERVERS,
          spec.replicas()
              + " needed for shuffle "
              + spec.shuffle()
              + ", "
              + candidates.size()
              + " can take data: "
              + describe(excluded));
    }
    return Leaning.lean(candidates);
  }

  /**
   * A new leader knows its servers by name before they have reported their load. Until most have,
   * which takes seconds, it would crowd a shuffle onto the first ones, or find none at all; those
   * that stay silent are suspect soon and not waited for any longer.
   */
  private void requireReports() {
    int active = 0;
    int reported = 0;
    for (ServerView server : servers) {
      if (server.state() == ServerState.ACTIVE) {
        active++;
        reported += server.hasReported() ? 1 : 0;
      }
    }
    if (reported * 2 < active) {
      throw new SluiceException(
          ErrorCode.COORDINATOR_UNAVAILABLE,
          "a new leader has heard from " + reported + " of " + active + " servers so far");
    }
  }

  private String describe(Set<ServerId> excluded) {
    Map<ServerState, Integer> states = new EnumMap<>(ServerState.class);
    int full = 0;
    for (ServerView server : servers) {
      states.merge(server.state(), 1, Integer::sum);
      if (server.state() == ServerState.ACTIVE && FreeCapacity.of(server.load()) <= 0) {
        full++;
      }
    }
    return "known are "
        + states
        + ", active ones without room "
        + full
        + ", excluded by operators "
        + servers.stream().filter(ServerView::excluded).count()
        + ", excluded by the caller "
        + excluded.size();
  }
}
