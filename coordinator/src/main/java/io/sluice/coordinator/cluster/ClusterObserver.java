package io.sluice.coordinator.cluster;

import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.placement.Apart;
import java.util.Map;

/** Told what metrics show. */
public interface ClusterObserver {
  /** Shows nothing. */
  static ClusterObserver none() {
    return new ClusterObserver() {
      @Override
      public void countedServers(Map<ServerState, Integer> servers) {}

      @Override
      public void countedApplications(int applications, int shuffles) {}

      @Override
      public void placed(int partitions, long nanos) {}

      @Override
      public void placedTogether(Apart apart) {}

      @Override
      public void expired() {}
    };
  }

  /** All servers known, by state; every state is there. */
  void countedServers(Map<ServerState, Integer> servers);

  /** Applications known and shuffles placed, as they are now. */
  void countedApplications(int applications, int shuffles);

  /** A placement was computed. */
  void placed(int partitions, long nanos);

  /**
   * Copies of partitions of a shuffle had to be placed on one host, or in one rack or zone though
   * there are others.
   *
   * @param apart how far they are apart at least
   */
  void placedTogether(Apart apart);

  /** An application ended because it was silent. */
  void expired();
}
