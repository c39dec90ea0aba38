package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.membership.ServerView;

/** Someone who waits for a server to become empty. Calls never block. */
public interface DrainWatcher {
  /** The server has changed, or is as it was when the watch began. */
  void changed(ServerView server);

  /** The leader's term is over, or the server is to stay after all. Idempotent. */
  void end(SluiceException reason);
}
