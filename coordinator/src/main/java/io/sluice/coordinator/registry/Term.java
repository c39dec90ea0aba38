package io.sluice.coordinator.registry;

import io.sluice.common.id.ClusterId;
import io.sluice.common.id.ServerId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What a leader finds when it takes over.
 *
 * @param number at least 1, grows with each change of leader
 * @param cluster the same in every term; empty if the store keeps none
 * @param decommissioned servers that operators want empty, known or not
 * @param decisions what else operators decided: fields by name
 */
public record Term(
    long number,
    Optional<ClusterId> cluster,
    List<ApplicationRecord> applications,
    List<ServerRecord> servers,
    Set<ServerId> decommissioned,
    Map<String, Map<String, String>> decisions) {
  /** Of a store that keeps no name of the cluster. */
  public Term(
      long number,
      List<ApplicationRecord> applications,
      List<ServerRecord> servers,
      Set<ServerId> decommissioned,
      Map<String, Map<String, String>> decisions) {
    this(number, Optional.empty(), applications, servers, decommissioned, decisions);
  }

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
