package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.Watch;
import io.sluice.coordinator.cluster.Watcher;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.proto.control.v1.ServerEvents;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A driver's stream of server events. */
final class WatchStream implements Watcher {
  private final Cluster cluster;
  private final ServerCallStreamObserver<ServerEvents> caller;
  private @Nullable Watch watch;
  private boolean ended;

  WatchStream(Cluster cluster, ServerCallStreamObserver<ServerEvents> caller) {
    this.cluster = cluster;
    this.caller = caller;
  }

  void open(ApplicationId application) {
    caller.setOnReadyHandler(this::ready);
    caller.setOnCancelHandler(this::cancelled);
    watch = cluster.watch(application, this);
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
      caller.onNext(
          ServerEvents.newBuilder()
              .setSnapshot(snapshot)
              .addAllServers(servers.stream().map(Responses::event).toList())
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
