package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.admission.Admission;
import io.sluice.coordinator.admission.Holdings;
import io.sluice.coordinator.application.ApplicationView;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.application.ShuffleSpec;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.placement.Placement;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The shuffles of applications: admitted, placed, counted, given up. */
final class Shuffles {
  private final Applications applications;
  private final Admission admission;
  private final Holdings holdings;
  private final Ledger ledger;
  private final Placing placing;
  private final Membership membership;

  Shuffles(
      Applications applications,
      Admission admission,
      Holdings holdings,
      Ledger ledger,
      Placing placing,
      Membership membership) {
    this.applications = applications;
    this.admission = admission;
    this.holdings = holdings;
    this.ledger = ledger;
    this.placing = placing;
    this.membership = membership;
  }

  /**
   * @throws SluiceException as {@link Cluster#createShuffle}
   */
  Placement create(ShuffleSpec spec, Set<ServerId> excluded) {
    Placement placement = applications.placement(spec, () -> admitted(spec, excluded));
    count(spec.shuffle().application());
    return placement;
  }

  private Placement admitted(ShuffleSpec spec, Set<ServerId> excluded) {
    ApplicationId application = spec.shuffle().application();
    ApplicationView view = applications.view(application);
    String user = view == null ? "" : view.application().user();
    PlacementWishes wishes = view == null ? PlacementWishes.NONE : view.application().wishes();
    admission.place(application, user, (long) spec.partitions() * spec.replicas(), holdings);
    return placing.place(spec, wishes, excluded);
  }

  /** Notes what an application says that earlier leaders placed, copies of partitions each. */
  void tell(ApplicationId application, Map<ShuffleKey, Integer> copies) {
    applications.tell(application, copies);
    count(application);
  }

  /**
   * @param later as {@link Cluster#removeShuffle}
   */
  void remove(ShuffleKey shuffle, Set<ServerId> later) {
    Placement placement = applications.removeShuffle(shuffle);
    Directive directive = new Directive.RemoveShuffle(shuffle);
    if (placement == null) {
      membership.directAll(directive);
    } else {
      Set<ServerId> servers = new LinkedHashSet<>(later);
      placement.servers().forEach(server -> servers.add(server.id()));
      servers.forEach(server -> membership.direct(server, directive));
    }
    count(shuffle.application());
  }

  /**
   * How many servers applications need: one, and as many as any shuffle that this leader placed has
   * replicas; by what a server must have to be of use to them.
   */
  Map<PlacementWishes, Integer> serversNeeded() {
    Map<PlacementWishes, Integer> needed = new HashMap<>();
    needed.put(PlacementWishes.NONE, 1);
    for (ApplicationView view : applications.views()) {
      needed.merge(
          view.application().wishes().ofServers(),
          Math.max(1, applications.mostReplicas(view.application().id())),
          Math::max);
    }
    return needed;
  }

  private void count(ApplicationId application) {
    ledger.copies(application, applications.copies(application));
  }
}
