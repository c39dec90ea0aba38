package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.application.ApplicationView;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.Watch;
import io.sluice.coordinator.cluster.Watcher;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.proto.control.v1.ServerEvents;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A driver's stream of server events. */
final class WatchStream implements Watcher {
  private final Cluster cluster;
  private final ApplicationId application;
  private final ServerCallStreamObserver<ServerEvents> caller;
  private final boolean partial;
  private @Nullable Watch watch;
  private boolean ended;

  /**
   * @param partial whether it is about some servers only
   */
  WatchStream(
      Cluster cluster,
      ApplicationId application,
      boolean partial,
      ServerCallStreamObserver<ServerEvents> caller) {
    this.cluster = cluster;
    this.application = application;
    this.partial = partial;
    this.caller = caller;
  }

  /**
   * @param used servers that it is about, whatever others there are
   */
  void open(Collection<ServerId> used) {
    caller.setOnReadyHandler(this::ready);
    caller.setOnCancelHandler(this::cancelled);
    watch = partial ? cluster.watch(application, used, this) : cluster.watch(application, this);
  }

  private void ready() {
    if (watch != null && !ended) {
      watch.ready();
    }
  }

  private void cancelled() {
    ended = true;
    if (watch != null) {
      cluster.unwatch(watch);
    }
  }

  @Override
  public boolean isReady() {
    return !ended && caller.isReady();
  }

  @Override
  public void send(boolean snapshot, List<ServerView> servers) {
    if (!ended) {
      ApplicationView view = cluster.application(application);
      PlacementWishes wishes = view == null ? PlacementWishes.NONE : view.application().wishes();
      PlacementStyle standard = cluster.rules().placement();
      caller.onNext(
          ServerEvents.newBuilder()
              .setSnapshot(snapshot)
              .setPartial(partial)
              .addAllServers(
                  servers.stream().map(one -> Responses.event(one, wishes, standard)).toList())
              .setTerm(cluster.term())
              .build());
    }
  }

  @Override
  public void end(SluiceException reason) {
    if (!ended) {
      ended = true;
      caller.onError(ControlErrors.toStatus(reason));
    }
  }
}
