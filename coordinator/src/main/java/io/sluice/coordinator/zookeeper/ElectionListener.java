package io.sluice.coordinator.zookeeper;

import java.util.List;

/** Told of the election's turns, on Curator's threads; must only hand over. */
public interface ElectionListener {
  /** This coordinator won. */
  void elected();

  /** It lost, or lost touch with ZooKeeper, so that another may have won. */
  void deposed();

  /** Someone began a term: host:port, empty if nobody has. */
  void leaderIs(String address);

  /** These stand for election: host:port of each coordinator that is there, this one included. */
  void candidatesAre(List<String> addresses);
}
