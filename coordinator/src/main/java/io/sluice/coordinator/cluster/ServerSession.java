package io.sluice.coordinator.cluster;

import io.sluice.common.id.ServerId;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerChannel;
import io.sluice.coordinator.membership.ServerReport;

/** An admitted server's stream of reports. */
public final class ServerSession {
  private final Membership membership;
  private final UseBook uses;
  private final ServerId server;
  private final ServerChannel channel;

  ServerSession(Membership membership, UseBook uses, ServerId server, ServerChannel channel) {
    this.membership = membership;
    this.uses = uses;
    this.server = server;
    this.channel = channel;
  }

  /** Takes a report; one of a session that was replaced or ended is ignored. */
  public void report(ServerReport report) {
    if (membership.report(server, channel, report, false)) {
      uses.take(server, report.uses());
    }
  }

  /** The channel takes directives again. */
  public void ready() {
    membership.ready(server, channel);
  }

  /** The channel is gone. */
  public void disconnected() {
    membership.disconnected(server, channel);
  }
}
