package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.admission.Held;
import io.sluice.coordinator.admission.Holdings;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.FreeCapacity;

/** Adds up what applications and users have. Linear in applications, or in servers. */
final class Census implements Holdings {
  private final Applications applications;
  private final Membership membership;
  private final UseBook uses;

  Census(Applications applications, Membership membership, UseBook uses) {
    this.applications = applications;
    this.membership = membership;
    this.uses = uses;
  }

  @Override
  public Held application(ApplicationId application) {
    long placed = applications.assignments(application);
    return new Held(uses.bytes(application), Math.max(placed, uses.partitions(application)), 1);
  }

  @Override
  public Held user(String user) {
    return applications.views().stream()
        .filter(view -> view.application().user().equals(user))
        .map(view -> application(view.application().id()))
        .reduce(Held.NOTHING, Held::plus);
  }

  @Override
  public double load() {
    double free = 0;
    double all = 0;
    for (ServerView server : membership.views()) {
      if (server.state() == ServerState.ACTIVE && server.hasReported()) {
        free += server.excluded() ? 0 : FreeCapacity.of(server.load());
        all += FreeCapacity.whenEmpty(server.load());
      }
    }
    return all == 0 ? 0 : 1 - free / all;
  }
}
