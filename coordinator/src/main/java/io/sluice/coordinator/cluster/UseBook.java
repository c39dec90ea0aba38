package io.sluice.coordinator.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.membership.ServerReport.Use;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What applications hold on servers, as these last said. Costs an entry for each application on
 * each server that holds something of it; servers say only what changes.
 */
public final class UseBook {
  private final Map<ServerId, Map<ApplicationId, Use>> byServer = new HashMap<>();
  private final Map<ApplicationId, Map<ServerId, Use>> byApplication = new HashMap<>();

  UseBook() {}

  /** A server begins to say what it holds; what it said before is void. */
  void begin(ServerId server) {
    Map<ApplicationId, Use> before = byServer.remove(server);
    if (before != null) {
      before.keySet().forEach(application -> remove(byApplication, application, server));
    }
  }

  /** A server's word. Negative figures count as none. */
  void take(ServerId server, List<Use> uses) {
    for (Use use : uses) {
      ApplicationId application = use.application();
      if (use.bytes() <= 0 && use.partitions() <= 0) {
        remove(byServer, server, application);
        remove(byApplication, application, server);
      } else {
        byServer.computeIfAbsent(server, s -> new HashMap<>()).put(application, use);
        byApplication.computeIfAbsent(application, a -> new HashMap<>()).put(server, use);
      }
    }
  }

  private static <K, V> void remove(Map<K, Map<V, Use>> book, K page, V line) {
    Map<V, Use> lines = book.get(page);
    if (lines != null) {
      lines.remove(line);
      if (lines.isEmpty()) {
        book.remove(page);
      }
    }
  }

  /** By server, for those that hold something of an application. */
  public Map<ServerId, Use> of(ApplicationId application) {
    return Map.copyOf(byApplication.getOrDefault(application, Map.of()));
  }

  /** Bytes of an application on all servers. */
  public long bytes(ApplicationId application) {
    return byApplication.getOrDefault(application, Map.of()).values().stream()
        .mapToLong(use -> Math.max(0, use.bytes()))
        .sum();
  }

  /** Copies of partitions of an application on all servers. */
  public long partitions(ApplicationId application) {
    return byApplication.getOrDefault(application, Map.of()).values().stream()
        .mapToLong(use -> Math.max(0, use.partitions()))
        .sum();
  }
}
