package io.sluice.client.control;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.placement.PlacementWishes;
import java.time.Duration;

/** How an application introduces itself. Immutable. */
public final class Registration {
  private final ApplicationId application;
  private final String engineId;
  private final String user;
  private final String engine;
  private final String clientVersion;
  private final Duration lease;
  private final PlacementWishes wishes;

  /**
   * An application that may be silent for as long as the cluster allows any.
   *
   * @param engineId the engine's own id, for people
   * @param engine "spark", "mapreduce"
   */
  public Registration(
      ApplicationId application,
      String engineId,
      String user,
      String engine,
      String clientVersion) {
    this(application, engineId, user, engine, clientVersion, Duration.ZERO, PlacementWishes.NONE);
  }

  private Registration(
      ApplicationId application,
      String engineId,
      String user,
      String engine,
      String clientVersion,
      Duration lease,
      PlacementWishes wishes) {
    this.application = application;
    this.engineId = engineId;
    this.user = user;
    this.engine = engine;
    this.clientVersion = clientVersion;
    this.lease = lease;
    this.wishes = wishes;
  }

  /**
   * The same with another lease.
   *
   * @param other how long it may be silent, if that is longer than for others; at most 7 days
   */
  public Registration withLease(Duration other) {
    return new Registration(application, engineId, user, engine, clientVersion, other, wishes);
  }

  /** The same with wishes. */
  public Registration withWishes(PlacementWishes other) {
    return new Registration(application, engineId, user, engine, clientVersion, lease, other);
  }

  public ApplicationId application() {
    return application;
  }

  public String engineId() {
    return engineId;
  }

  public String user() {
    return user;
  }

  public String engine() {
    return engine;
  }

  public String clientVersion() {
    return clientVersion;
  }

  public Duration lease() {
    return lease;
  }

  public PlacementWishes wishes() {
    return wishes;
  }
}
