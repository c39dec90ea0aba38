package io.sluice.simulation.scenario;

import io.sluice.client.BlockReader;
import io.sluice.client.TaskSignal;
import io.sluice.client.placement.PlacementSource;
import io.sluice.server.replication.PeerConnector;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ServerSessionFactory;

/**
 * Breaks the system on purpose, so that tests can see the simulation notice. The default breaks
 * nothing.
 */
interface Sabotage {
  /** The honest one. */
  Sabotage NONE = new Sabotage() {};

  default ClientSession session(ClientSession session) {
    return session;
  }

  default ServerSessionFactory server(ServerSessionFactory core) {
    return core;
  }

  /** A server's way to others. */
  default PeerConnector peers(PeerConnector peers) {
    return peers;
  }

  /** A disk as a server finds it that says that nothing was lost. */
  default SegmentStore intactStore(SegmentStore store) {
    return store;
  }

  /** Whether servers that stop in order seal their disks before memory has reached them. */
  default boolean sealsFirst() {
    return false;
  }

  /** How many stops in order there are in each simulation that is not calm, at least. */
  default int leastStops() {
    return 0;
  }

  /** Whether coordinators are told that they still lead, whoever does. */
  default boolean flattersLeaders() {
    return false;
  }

  /** The driver as one process reaches it. */
  default PlacementSource driver(PlacementSource driver) {
    return driver;
  }

  /** How a client's tasks wait. */
  default TaskSignal.Factory signals(TaskSignal.Factory signals) {
    return signals;
  }

  default BlockReader reader(BlockReader reader) {
    return reader;
  }
}
