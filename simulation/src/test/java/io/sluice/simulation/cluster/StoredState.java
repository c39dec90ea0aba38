package io.sluice.simulation.cluster;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerRecord;
import io.sluice.coordinator.registry.Term;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What ZooKeeper keeps over terms. */
final class StoredState {
  private final Map<ApplicationId, ApplicationRecord> applications = new LinkedHashMap<>();
  private final Map<ServerId, ServerRecord> servers = new LinkedHashMap<>();
  private final Set<ServerId> decommissioned = new LinkedHashSet<>();
  private final Map<String, Map<String, String>> decisions = new LinkedHashMap<>();
  private long term;

  /** The number of the newest term. */
  long term() {
    return term;
  }

  /** Begins a term: writes of every earlier one fail from now on. */
  Term nextTerm() {
    term++;
    return new Term(
        term,
        List.copyOf(applications.values()),
        List.copyOf(servers.values()),
        decommissioned,
        decisions);
  }

  Map<ApplicationId, ApplicationRecord> applications() {
    return applications;
  }

  Map<ServerId, ServerRecord> servers() {
    return servers;
  }

  Set<ServerId> decommissioned() {
    return decommissioned;
  }

  Map<String, Map<String, String>> decisions() {
    return decisions;
  }
}
