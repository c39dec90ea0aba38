package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.admission.Held;
import io.sluice.coordinator.admission.Holdings;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.FreeCapacity;
import java.util.List;

/** What applications and users have, and how full the cluster is. The latter linear in servers. */
final class Census implements Holdings {
  private final Ledger ledger;
  private final Membership membership;

  Census(Ledger ledger, Membership membership) {
    this.ledger = ledger;
    this.membership = membership;
  }

  @Override
  public Held application(ApplicationId application) {
    return ledger.application(application);
  }

  @Override
  public Held user(String user) {
    return ledger.user(user);
  }

  @Override
  public boolean isComplete() {
    return active().stream().allMatch(ServerView::hasReported);
  }

  @Override
  public double load() {
    double free = 0;
    double all = 0;
    for (ServerView server : membership.views()) {
      if (server.state() == ServerState.ACTIVE) {
        free += server.excluded() ? 0 : FreeCapacity.of(server.load());
        all += FreeCapacity.whenEmpty(server.load());
      } else if (server.state() == ServerState.UNHEALTHY) {
        // It takes nothing, mostly because it is full.
        all += FreeCapacity.whenEmptyAndSound(server.load());
      }
    }
    return all == 0 ? 0 : 1 - free / all;
  }

  private List<ServerView> active() {
    return membership.views().stream()
        .filter(server -> server.state() == ServerState.ACTIVE)
        .toList();
  }
}
