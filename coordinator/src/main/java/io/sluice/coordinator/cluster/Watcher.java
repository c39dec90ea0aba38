package io.sluice.coordinator.cluster;

import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.membership.ServerView;
import java.util.List;

/** A driver that wants to know what happens to servers. Calls never block. */
public interface Watcher {
  /** Whether an event sent now would leave at once. */
  boolean isReady();

  /** All servers that it is to be told of (snapshot), or those of them that changed. */
  void send(boolean snapshot, List<ServerView> servers);

  /** Ends the stream. Idempotent. */
  void end(SluiceException reason);
}
