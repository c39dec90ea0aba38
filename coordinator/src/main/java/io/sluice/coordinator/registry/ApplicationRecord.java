package io.sluice.coordinator.registry;

import io.sluice.common.id.ApplicationId;

/**
 * An application as its driver introduced it.
 *
 * @param engineId the engine's own id, for people
 * @param engine "spark", "mapreduce"
 * @param registeredAtMillis first registration, milliseconds since 1970 UTC
 */
public record ApplicationRecord(
    ApplicationId id,
    String engineId,
    String user,
    String engine,
    String clientVersion,
    long registeredAtMillis) {}
