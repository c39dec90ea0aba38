package io.sluice.coordinator.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.registry.Kept;
import io.sluice.coordinator.registry.StateStore;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Servers that operators want to get no new shuffles. Unlike one that is drained, an excluded
 * server goes on with the shuffles it has; so this is for looking at a server that behaves oddly,
 * and the other for one that is to leave.
 */
public final class Exclusions {
  private static final Logger log = LoggerFactory.getLogger(Exclusions.class);
  private static final String PREFIX = "excluded/";

  private final Scheduler scheduler;
  private final StateStore store;
  private final Membership membership;

  Exclusions(Scheduler scheduler, StateStore store, Membership membership) {
    this.scheduler = scheduler;
    this.store = store;
    this.membership = membership;
  }

  /** A term begins with what is kept of earlier ones. */
  void restore(Map<String, Map<String, String>> decisions) {
    decisions.keySet().stream().filter(name -> name.startsWith(PREFIX)).forEach(this::restore);
  }

  private void restore(String name) {
    try {
      UUID id = UUID.fromString(name.substring(PREFIX.length()));
      membership.exclude(new ServerId(id), true);
    } catch (IllegalArgumentException e) {
      log.error("the decision {} cannot be read and is not in force", name, e);
    }
  }

  /** All of them, known servers or not. */
  public Set<ServerId> all() {
    return membership.excluded();
  }

  /**
   * Excludes a server, or takes that back; again is harmless. The stage completes on the control
   * thread once it would survive this leader and has taken effect.
   *
   * @throws SluiceException INVALID_ARGUMENT if a server to be excluded is not known
   */
  public CompletionStage<Void> set(ServerId server, boolean begins) {
    if (begins && membership.view(server) == null && !all().contains(server)) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, "no server " + server + " is known");
    }
    CompletionStage<Void> kept =
        begins
            ? store.putDecision(PREFIX + server, Map.of())
            : store.removeDecision(PREFIX + server);
    return Kept.then(scheduler, kept, () -> membership.exclude(server, begins));
  }
}
