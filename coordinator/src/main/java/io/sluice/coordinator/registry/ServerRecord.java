package io.sluice.coordinator.registry;

/**
 * The latest life of a server that coordinators know of.
 *
 * @param lostIncarnation the highest incarnation that was declared lost, 0 if none; equal to the
 *     address's incarnation if the server is lost now
 * @param stopping whether this life has said that it stops and will be back
 */
public record ServerRecord(ServerAddress address, long lostIncarnation, boolean stopping) {
  public boolean lost() {
    return lostIncarnation >= address.incarnation();
  }
}
