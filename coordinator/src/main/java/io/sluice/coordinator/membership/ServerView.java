package io.sluice.coordinator.membership;

import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.registry.ServerAddress;

/**
 * A server at one moment.
 *
 * @param lostIncarnation the latest incarnation lost, 0 if none is known; the address's own if lost
 * @param excluded whether operators want it to get no new shuffles; what it has stays
 * @param drained whether it was told to drain, takes nothing any more, and holds nothing
 */
public record ServerView(
    ServerAddress address,
    ServerState state,
    long lostIncarnation,
    ServerLoad load,
    boolean drained,
    boolean excluded,
    ServerTraits traits,
    Software software) {
  /**
   * What runs there.
   *
   * @param httpAddress host:port of its metrics and health pages, may be empty
   */
  public record Software(String version, String httpAddress) {}

  /** Whether it may hold data of an application with such wishes at all. */
  public boolean suits(PlacementWishes wishes) {
    return wishes.allow(traits.tags(), address.grpcPort() != 0);
  }

  /** Whether this leader has heard the server yet, and so knows its load. */
  public boolean hasReported() {
    return !load.equals(ServerLoad.UNKNOWN);
  }
}
