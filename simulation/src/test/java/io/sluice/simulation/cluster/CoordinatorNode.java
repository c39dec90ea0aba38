package io.sluice.simulation.cluster;

import io.sluice.coordinator.cluster.Cluster;
import io.sluice.coordinator.cluster.ClusterObserver;
import io.sluice.coordinator.cluster.ClusterRules;
import io.sluice.coordinator.leadership.Leadership;
import io.sluice.simulation.time.SimLoop;
import io.sluice.simulation.time.SimProcess;
import java.util.ArrayList;
import java.util.List;

/** One life of a coordinator: what its {@code main} puts together, over simulated seams. */
final class CoordinatorNode {
  private final String name;
  private final SimProcess process;
  private final SimLoop control;
  private final Leadership leadership;
  private final List<Runnable> onSilence = new ArrayList<>();

  CoordinatorNode(World world, String name, ClusterRules rules, SimZooKeeper zooKeeper) {
    this.name = name;
    process = world.process(name);
    control = process.loop("control");
    TermStore store = zooKeeper.storeOf(this);
    leadership =
        new Leadership(
            control,
            store,
            () -> zooKeeper.standAgain(this),
            (term, fenced) -> new Cluster(control, rules, term, fenced, ClusterObserver.none()));
  }

  SimProcess process() {
    return process;
  }

  SimLoop control() {
    return control;
  }

  /** Whether it takes itself for the leader; another one may have taken over. */
  boolean leads() {
    return leadership.leads();
  }

  /**
   * What it leads.
   *
   * @throws io.sluice.coordinator.leadership.NotLeaderException if it does not
   */
  Cluster cluster() {
    return leadership.cluster();
  }

  /** The election was won, as it will hear in its turn. */
  void elected() {
    control.execute(() -> leadership.elected(name));
  }

  /** The election was lost, as it will hear in its turn. */
  void deposed() {
    control.execute(leadership::deposed);
  }

  /** Has somebody told when this process has not answered for as long as gRPC waits. */
  void onSilence(Runnable listener) {
    onSilence.add(listener);
  }

  void silent() {
    List<Runnable> told = List.copyOf(onSilence);
    onSilence.clear();
    told.forEach(Runnable::run);
  }

  @Override
  public String toString() {
    return name;
  }
}
