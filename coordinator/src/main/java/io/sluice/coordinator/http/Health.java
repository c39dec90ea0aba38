package io.sluice.coordinator.http;

import java.util.Optional;

/** What health pages answer. Calls may wait a moment, never long. */
public interface Health {
  /** Why this process should be restarted; empty if it should not. */
  Optional<String> notLive();

  /** Why calls should not be sent here; empty if they may. */
  Optional<String> notReady();
}
