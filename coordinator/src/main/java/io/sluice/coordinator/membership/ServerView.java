package io.sluice.coordinator.membership;

import io.sluice.coordinator.registry.ServerAddress;

/**
 * A server at one moment.
 *
 * @param lostIncarnation the latest incarnation lost, 0 if none is known; the address's own if lost
 */
public record ServerView(
    ServerAddress address,
    ServerState state,
    long lostIncarnation,
    ServerLoad load,
    String version,
    String httpAddress) {}
