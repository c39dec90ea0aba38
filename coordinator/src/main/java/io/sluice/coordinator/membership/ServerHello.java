package io.sluice.coordinator.membership;

import io.sluice.common.id.ApplicationId;
import io.sluice.coordinator.registry.ServerAddress;
import java.util.List;

/**
 * How a server introduces itself on a new session.
 *
 * @param applications whose data it holds
 * @param httpAddress host:port of its metrics and health pages, may be empty
 * @param wantsUsers whether it wants to be told whose applications are
 * @param wantsVerifiers whether it wants to be told what applications prove themselves by
 */
public record ServerHello(
    ServerAddress address,
    String version,
    List<ApplicationId> applications,
    String httpAddress,
    boolean wantsUsers,
    boolean wantsVerifiers,
    ServerTraits traits) {
  /** Of a server of which nobody has said anything. */
  public ServerHello(
      ServerAddress address,
      String version,
      List<ApplicationId> applications,
      String httpAddress,
      boolean wantsUsers,
      boolean wantsVerifiers) {
    this(
        address, version, applications, httpAddress, wantsUsers, wantsVerifiers, ServerTraits.NONE);
  }

  /** The same, without security. */
  public ServerHello(
      ServerAddress address,
      String version,
      List<ApplicationId> applications,
      String httpAddress,
      boolean wantsUsers) {
    this(address, version, applications, httpAddress, wantsUsers, false);
  }

  public ServerHello {
    applications = List.copyOf(applications);
  }
}
