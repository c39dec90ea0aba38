package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.membership.ServerView;
import java.util.List;
import java.util.function.Supplier;

/**
 * One driver's view of the servers: a snapshot, then changes. A watcher slower than the changes is
 * owed a new snapshot instead of a queue, so it costs one boolean however slow it is.
 */
public final class Watch {
  private final ApplicationId application;
  private final Watcher watcher;
  private final Supplier<List<ServerView>> everything;
  private boolean snapshotDue = true;

  Watch(ApplicationId application, Watcher watcher, Supplier<List<ServerView>> everything) {
    this.application = application;
    this.watcher = watcher;
    this.everything = everything;
  }

  ApplicationId application() {
    return application;
  }

  /** To be called when the watcher takes events again. */
  public void ready() {
    if (snapshotDue && watcher.isReady()) {
      snapshotDue = false;
      watcher.send(true, everything.get());
    }
  }

  void changed(ServerView server) {
    ready();
    if (watcher.isReady() && !snapshotDue) {
      watcher.send(false, List.of(server));
    } else {
      snapshotDue = true;
    }
  }

  /** Something is gone that changes cannot express. */
  void invalidate() {
    snapshotDue = true;
    ready();
  }

  void end(SluiceException reason) {
    watcher.end(reason);
  }
}
