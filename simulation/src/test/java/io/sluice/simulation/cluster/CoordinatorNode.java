package io.sluice.simulation.cluster;

import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ClusterObserver;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.coordinator.placement.WeightedSweep;
import io.sluice.coordinator.registry.Term;
import io.sluice.simulation.time.SimLoop;
import io.sluice.simulation.time.SimProcess;

/** One term of a leading coordinator. */
final class CoordinatorNode {
  private final SimProcess process;
  private final SimLoop control;
  private final Cluster cluster;

  CoordinatorNode(World world, ClusterRules rules, MemoryStateStore store) {
    Term term = store.nextTerm();
    process = world.process("coordinator" + term.number());
    control = process.loop("control");
    cluster =
        new Cluster(
            control,
            rules,
            term,
            store.ofTerm(term.number()),
            new WeightedSweep(),
            ClusterObserver.none());
  }

  SimProcess process() {
    return process;
  }

  SimLoop control() {
    return control;
  }

  Cluster cluster() {
    return cluster;
  }
}
