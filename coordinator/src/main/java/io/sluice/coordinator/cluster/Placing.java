package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.application.ShuffleSpec;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.placement.Candidate;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.placement.PlacementRequest;
import io.sluice.coordinator.placement.PlacementStrategy;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Places shuffles on the servers that can take them now. */
final class Placing {
  private static final Logger log = LoggerFactory.getLogger(Placing.class);

  /** Spreads the seeds of shuffles whose numbers follow each other. */
  private static final long SEED_FACTOR = 0x9E37_79B9_7F4A_7C15L;

  private final Clock clock;
  private final long term;
  private final Membership membership;
  private final PlacementStrategy strategy;
  private final ClusterObserver observer;
  private final EventLog events;
  // So that a thousand shuffles do not say the same a thousand times.
  private boolean toldOfHosts;

  Placing(
      Clock clock,
      long term,
      Membership membership,
      PlacementStrategy strategy,
      ClusterObserver observer,
      EventLog events) {
    this.clock = clock;
    this.term = term;
    this.membership = membership;
    this.strategy = strategy;
    this.observer = observer;
    this.events = events;
  }

  /**
   * @param excluded by the caller, besides those that operators exclude
   * @throws SluiceException NO_SERVERS, COORDINATOR_UNAVAILABLE for the first seconds of a term
   */
  Placement place(ShuffleSpec spec, Set<ServerId> excluded) {
    long begin = clock.nanoTime();
    List<Candidate> candidates = new Supply(membership.views()).candidates(spec, excluded);
    noteHosts(spec, candidates);
    long seed = spec.shuffle().hashCode() * SEED_FACTOR + term;
    Placement placement =
        strategy.place(new PlacementRequest(spec.partitions(), spec.replicas(), seed), candidates);
    observer.placed(spec.partitions(), clock.nanoTime() - begin);
    return placement;
  }

  /** Says, once until it is better, that copies of a partition share a host. */
  private void noteHosts(ShuffleSpec spec, List<Candidate> candidates) {
    if (spec.replicas() == 1) {
      return;
    }
    long hosts = candidates.stream().map(one -> one.address().host()).distinct().count();
    boolean few = hosts < spec.replicas();
    if (few && !toldOfHosts) {
      String text =
          spec.replicas()
              + " replicas on "
              + hosts
              + " hosts: some are lost together with their host";
      log.warn("shuffle {}: {}", spec.shuffle(), text);
      events.add(ClusterEvent.Kind.APPLICATION, spec.shuffle().application().toString(), text);
    }
    toldOfHosts = few;
  }
}
