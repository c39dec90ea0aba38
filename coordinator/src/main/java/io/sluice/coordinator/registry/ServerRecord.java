package io.sluice.coordinator.registry;

/**
 * The latest life of a server that coordinators know of.
 *
 * @param lostIncarnation the highest incarnation that was declared lost, 0 if none; equal to the
 *     address's incarnation if the server is lost now
 */
public record ServerRecord(ServerAddress address, long lostIncarnation) {
  public boolean lost() {
    return lostIncarnation >= address.incarnation();
  }
}
