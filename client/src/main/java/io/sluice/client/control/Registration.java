package io.sluice.client.control;

import io.sluice.common.id.ApplicationId;

/** How an application introduces itself. Immutable. */
public final class Registration {
  private final ApplicationId application;
  private final String engineId;
  private final String user;
  private final String engine;
  private final String clientVersion;

  /**
   * @param engineId the engine's own id, for people
   * @param engine "spark", "mapreduce"
   */
  public Registration(
      ApplicationId application,
      String engineId,
      String user,
      String engine,
      String clientVersion) {
    this.application = application;
    this.engineId = engineId;
    this.user = user;
    this.engine = engine;
    this.clientVersion = clientVersion;
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
}
