package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ServerLink;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The connections that are open now. Thread-safe.
 *
 * <p>A connection is added before its WELCOME is written: so whoever changes something that a
 * WELCOME says, and then ends all connections, leaves none that was told what was before.
 */
final class LiveConnections {
  // Guarded by this. In the order in which they came: what is done to all of them happens in an
  // order that a simulation can repeat.
  private final Map<ServerConnection, ServerLink> links = new LinkedHashMap<>();

  synchronized void add(ServerConnection connection, ServerLink link) {
    links.put(connection, link);
  }

  synchronized void remove(ServerConnection connection) {
    links.remove(connection);
  }

  /** Completes when what each of them was doing at this moment is done. */
  CompletableFuture<Void> settled() {
    return CompletableFuture.allOf(
        all().stream()
            .map(link -> CompletableFuture.runAsync(() -> {}, link.executor()))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Ends all of them with an error; on their own event loops, a little later. */
  void end(ErrorCode code, String message) {
    all().forEach(link -> link.close(code, message));
  }

  private synchronized List<ServerLink> all() {
    return List.copyOf(links.values());
  }
}
