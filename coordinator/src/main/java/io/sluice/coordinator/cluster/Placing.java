package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.time.Clock;
import io.sluice.coordinator.application.ShuffleSpec;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.placement.Apart;
import io.sluice.coordinator.placement.Candidate;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.placement.PlacementRequest;
import io.sluice.coordinator.placement.PlacementStrategy;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Places shuffles on the servers that can take them now. */
final class Placing {
  private static final Logger log = LoggerFactory.getLogger(Placing.class);

  /** Spreads the seeds of shuffles whose numbers follow each other. */
  private static final long SEED_FACTOR = 0x9E37_79B9_7F4A_7C15L;

  /** Different wishes of which it is remembered what was said; of more it is said again. */
  private static final int SAID_MAX = 1_000;

  private final Clock clock;
  private final long term;
  private final Membership membership;
  private final PlacementStyle standard;
  private final ClusterObserver observer;
  private final EventLog events;
  // So that a thousand shuffles do not say the same a thousand times, nor two applications in turn
  // that want different things.
  private final Map<Wanted, String> said = new LinkedHashMap<>();

  /** What decides whether something is odd, the servers aside. */
  private record Wanted(int replicas, PlacementStyle style, String zone, Set<String> tags) {}

  /**
   * @param standard for applications that do not say
   */
  Placing(
      Clock clock,
      long term,
      Membership membership,
      PlacementStyle standard,
      ClusterObserver observer,
      EventLog events) {
    this.clock = clock;
    this.term = term;
    this.membership = membership;
    this.standard = standard;
    this.observer = observer;
    this.events = events;
  }

  /**
   * @param excluded by the caller, besides those that operators exclude
   * @throws SluiceException NO_SERVERS; INVALID_CONFIGURATION if no server has the tags;
   *     COORDINATOR_UNAVAILABLE for the first seconds of a term
   */
  Placement place(ShuffleSpec spec, PlacementWishes wishes, Set<ServerId> excluded) {
    long begin = clock.nanoTime();
    List<Candidate> candidates = new Supply(membership.views(), wishes).candidates(spec, excluded);
    PlacementStyle style = wishes.style().orElse(standard);
    PlacementRequest request =
        new PlacementRequest(
            spec.partitions(),
            spec.replicas(),
            spec.shuffle().hashCode() * SEED_FACTOR + term,
            new PlacementRequest.Home(
                wishes.zone(), spec.shuffle().application().hashCode() * SEED_FACTOR));
    Placement placement = PlacementStrategy.of(style).place(request, candidates).among(candidates);
    note(
        spec.shuffle(),
        new Wanted(spec.replicas(), style, wishes.zone(), wishes.tags()),
        whatIsOdd(placement, style, wishes.zone(), candidates));
    observer.placed(spec.partitions(), clock.nanoTime() - begin);
    return placement;
  }

  /** What about a placement is not as one would want it; empty if nothing. */
  private String whatIsOdd(
      Placement placement, PlacementStyle style, String zone, List<Candidate> candidates) {
    if (style == PlacementStyle.ZONE_LOCAL
        && !zone.isEmpty()
        && !servers(placement, candidates).allMatch(one -> one.place().zone().equals(zone))) {
      return "zone '" + zone + "' has too few servers for it, so it is not kept there";
    }
    Apart apart = placement.apart();
    Apart possible = Apart.possible(placement.replicas(), candidates);
    // In one zone on purpose, and that one may have one rack.
    boolean wanted = apart == possible || style == PlacementStyle.ZONE_LOCAL;
    if (placement.partitions() == 0 || (apart != Apart.SERVER && wanted)) {
      return "";
    }
    return switch (apart) {
      case SERVER -> together(placement, apart, "some share a host and are lost together with it");
      case HOST -> together(placement, apart, "some share a rack: others are too few or too full");
      case RACK -> together(placement, apart, "some share a zone: others are too full");
      case SINGLE, ZONE -> "";
    };
  }

  private String together(Placement placement, Apart apart, String what) {
    observer.placedTogether(apart);
    return "of " + placement.replicas() + " replicas of a partition " + what;
  }

  private static Stream<Candidate> servers(Placement placement, List<Candidate> candidates) {
    Set<ServerId> used = new HashSet<>();
    placement.servers().forEach(server -> used.add(server.id()));
    return candidates.stream().filter(one -> used.contains(one.address().id()));
  }

  /** Says it once to all who want the same, until there is something else to say to them. */
  private void note(ShuffleKey shuffle, Wanted wanted, String text) {
    String before = text.isEmpty() ? said.remove(wanted) : said.put(wanted, text);
    if (!text.isEmpty() && !text.equals(before)) {
      log.warn("shuffle {}: {}", shuffle, text);
      events.add(ClusterEvent.Kind.APPLICATION, shuffle.application().toString(), text);
    }
    if (said.size() > SAID_MAX) {
      said.remove(said.keySet().iterator().next());
    }
  }
}
