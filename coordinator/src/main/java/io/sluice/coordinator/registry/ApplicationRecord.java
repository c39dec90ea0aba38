package io.sluice.coordinator.registry;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.security.Verifier;
import org.jspecify.annotations.Nullable;

/**
 * An application as its driver introduced it.
 *
 * @param engineId the engine's own id, for people
 * @param engine "spark", "mapreduce"
 * @param registeredAtMillis first registration, milliseconds since 1970 UTC
 * @param verifier what it proves itself by, null if it need not
 * @param leaseMillis how long it may be silent, if that is longer than for others
 * @param returned whether it was registered before and has been forgotten: servers may have dropped
 *     it
 * @param wishes what it wants of the servers that hold its shuffles
 */
public record ApplicationRecord(
    ApplicationId id,
    String engineId,
    String user,
    String engine,
    String clientVersion,
    long registeredAtMillis,
    @Nullable Verifier verifier,
    long leaseMillis,
    boolean returned,
    PlacementWishes wishes) {
  /** An application that may be silent for as long as others, and was not known before. */
  public ApplicationRecord(
      ApplicationId id,
      String engineId,
      String user,
      String engine,
      String clientVersion,
      long registeredAtMillis,
      @Nullable Verifier verifier) {
    this(id, engineId, user, engine, clientVersion, registeredAtMillis, verifier, 0, false);
  }

  /** One without wishes. */
  public ApplicationRecord(
      ApplicationId id,
      String engineId,
      String user,
      String engine,
      String clientVersion,
      long registeredAtMillis,
      @Nullable Verifier verifier,
      long leaseMillis,
      boolean returned) {
    this(
        id,
        engineId,
        user,
        engine,
        clientVersion,
        registeredAtMillis,
        verifier,
        leaseMillis,
        returned,
        PlacementWishes.NONE);
  }

  /** The same of one that proves nothing. */
  public ApplicationRecord(
      ApplicationId id,
      String engineId,
      String user,
      String engine,
      String clientVersion,
      long registeredAtMillis) {
    this(id, engineId, user, engine, clientVersion, registeredAtMillis, null);
  }

  /** What stays as it was first said stays so. */
  public ApplicationRecord renewing(ApplicationRecord earlier) {
    return new ApplicationRecord(
        id,
        engineId,
        earlier.user().isEmpty() ? user : earlier.user(),
        engine,
        clientVersion,
        earlier.registeredAtMillis(),
        verifier,
        leaseMillis,
        returned || earlier.returned(),
        wishes);
  }

  /** The same as of an application that was known before. */
  public ApplicationRecord asReturned() {
    return new ApplicationRecord(
        id,
        engineId,
        user,
        engine,
        clientVersion,
        registeredAtMillis,
        verifier,
        leaseMillis,
        true,
        wishes);
  }
}
