package io.sluice.coordinator.grpc;

import io.grpc.stub.ServerCallStreamObserver;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.cluster.Decommissions;
import io.sluice.coordinator.cluster.DrainWatcher;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.proto.control.v1.DrainProgress;
import io.sluice.proto.control.v1.DrainServerRequest;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * An operator's call that wants a server empty: says that it is kept, then, if asked to, how the
 * server fares until it is empty or lost. A caller slower than the changes is told the latest.
 */
final class DrainStream implements DrainWatcher {
  private final Decommissions decommissions;
  private final ServerId server;
  private final ServerCallStreamObserver<DrainProgress> caller;
  private @Nullable ServerView untold;
  private boolean ended;

  DrainStream(
      Decommissions decommissions,
      ServerId server,
      ServerCallStreamObserver<DrainProgress> caller) {
    this.decommissions = decommissions;
    this.server = server;
    this.caller = caller;
  }

  /**
   * @param wish what is to become of the server
   * @return done when that is kept
   * @throws SluiceException as {@link Decommissions#drain}
   */
  CompletionStage<Void> open(DrainServerRequest wish) {
    caller.setOnReadyHandler(this::tell);
    caller.setOnCancelHandler(this::leave);
    boolean begins = !wish.getUndo();
    CompletionStage<Void> kept =
        begins && !wish.getForce()
            ? decommissions.drain(server)
            : decommissions.set(server, begins);
    kept.whenComplete((nothing, failure) -> kept(begins && wish.getWait(), failure));
    return kept;
  }

  private void kept(boolean waits, @Nullable Throwable failure) {
    if (ended) {
      return;
    }
    if (failure != null) {
      ended = true;
      caller.onError(ControlErrors.toStatus(failure));
      return;
    }
    ServerView now = decommissions.server(server);
    caller.onNext(progress(now));
    if (!waits || now == null || isOver(now)) {
      complete();
      return;
    }
    try {
      decommissions.watch(server, this);
    } catch (SluiceException e) {
      end(e);
    }
  }

  @Override
  public void changed(ServerView changed) {
    untold = changed;
    tell();
  }

  private void tell() {
    ServerView next = untold;
    if (next == null || ended || !caller.isReady()) {
      return;
    }
    untold = null;
    caller.onNext(progress(next));
    if (isOver(next)) {
      complete();
    }
  }

  private static boolean isOver(ServerView view) {
    return view.drained() || view.state() == ServerState.LOST;
  }

  private static DrainProgress progress(@Nullable ServerView view) {
    DrainProgress.Builder progress = DrainProgress.newBuilder();
    if (view != null) {
      progress.setServer(Responses.server(view));
    }
    return progress.build();
  }

  private void complete() {
    leave();
    caller.onCompleted();
  }

  private void leave() {
    ended = true;
    decommissions.unwatch(this);
  }

  @Override
  public void end(SluiceException reason) {
    if (!ended) {
      leave();
      caller.onError(ControlErrors.toStatus(reason));
    }
  }
}
