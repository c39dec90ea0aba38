package io.sluice.http;

import java.util.Optional;

/** What health pages answer. Called by the worker of {@link StatusPages}: may wait for moments. */
public interface Health {
  /** Why this process should be restarted; empty if it should not. */
  Optional<String> notLive();

  /** Why no new work should be sent here; empty if it may. */
  Optional<String> notReady();
}
