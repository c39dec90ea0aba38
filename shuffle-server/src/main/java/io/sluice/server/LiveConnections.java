package io.sluice.server;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ServerLink;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections that are open now. Thread-safe.
 *
 * <p>A connection is added before its WELCOME is written: so whoever changes something that a
 * WELCOME says, and then ends all connections, leaves none that was told what was before.
 */
final class LiveConnections {
  private final Map<ServerConnection, ServerLink> links = new ConcurrentHashMap<>();

  void add(ServerConnection connection, ServerLink link) {
    links.put(connection, link);
  }

  void remove(ServerConnection connection) {
    links.remove(connection);
  }

  /** Completes when what each of them was doing at this moment is done. */
  CompletableFuture<Void> settled() {
    return CompletableFuture.allOf(
        links.values().stream()
            .map(link -> CompletableFuture.runAsync(() -> {}, link.executor()))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** Ends all of them with an error; on their own event loops, a little later. */
  void end(ErrorCode code, String message) {
    links.values().forEach(link -> link.close(code, message));
  }
}
