package io.sluice.coordinator.membership;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.List;

/**
 * How a server introduces itself on a new session.
 *
 * @param applications whose data it holds
 * @param httpAddress host:port of its metrics and health pages, may be empty
 */
public record ServerHello(
    ServerAddress address, String version, List<ApplicationId> applications, String httpAddress) {
  public ServerHello {
    applications = List.copyOf(applications);
  }
}
