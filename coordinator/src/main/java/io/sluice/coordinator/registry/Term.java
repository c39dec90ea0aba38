package io.sluice.coordinator.registry;

import io.sluice.common.id.ServerId;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a leader finds when it takes over.
 *
 * @param number at least 1, grows with each change of leader
 * @param decommissioned servers that operators want empty, known or not
 * @param decisions what else operators decided: fields by name
 */
public record Term(
    long number,
    List<ApplicationRecord> applications,
    List<ServerRecord> servers,
    Set<ServerId> decommissioned,
    Map<String, Map<String, String>> decisions) {
  /** With no other decisions of operators. */
  public Term(
      long number,
      List<ApplicationRecord> applications,
      List<ServerRecord> servers,
      Set<ServerId> decommissioned) {
    this(number, applications, servers, decommissioned, Map.of());
  }

  public Term {
    applications = List.copyOf(applications);
    servers = List.copyOf(servers);
    decommissioned = Set.copyOf(decommissioned);
    decisions = Map.copyOf(decisions);
  }
}
