package io.sluice.coordinator.registry;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.security.Verifier;
import org.jspecify.annotations.Nullable;

/**
 * An application as its driver introduced it.
 *
 * @param engineId the engine's own id, for people
 * @param engine "spark", "mapreduce"
 * @param registeredAtMillis first registration, milliseconds since 1970 UTC
 * @param verifier what it proves itself by, null if it need not
 */
public record ApplicationRecord(
    ApplicationId id,
    String engineId,
    String user,
    String engine,
    String clientVersion,
    long registeredAtMillis,
    @Nullable Verifier verifier) {
  /** An application that proves nothing. */
  public ApplicationRecord(
      ApplicationId id,
      String engineId,
      String user,
      String engine,
      String clientVersion,
      long registeredAtMillis) {
    this(id, engineId, user, engine, clientVersion, registeredAtMillis, null);
  }
}
