package io.sluice.server.http;

import java.util.Optional;

/** What the health pages answer. Thread-safe; answers at once. */
public interface ServerHealth {
  /** Why the process should be restarted; empty if it should not. */
  Optional<String> notLive();

  /** Why no new work should come here; empty if it may. */
  Optional<String> notReady();
}
