package io.sluice.coordinator.registry;

import java.util.List;

/**
 * What a leader finds when it takes over.
 *
 * @param number at least 1, grows with each change of leader
 */
public record Term(long number, List<ApplicationRecord> applications, List<ServerRecord> servers) {
  public Term {
    applications = List.copyOf(applications);
    servers = List.copyOf(servers);
  }
}
