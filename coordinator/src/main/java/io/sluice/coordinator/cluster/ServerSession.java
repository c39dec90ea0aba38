package io.sluice.coordinator.cluster;

import io.sluice.common.id.ServerId;
import io.sluice.coordinator.membership.Membership;
import io.sluice.coordinator.membership.ServerChannel;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Use;
import java.util.List;
import java.util.function.Consumer;

/** An admitted server's stream of reports. */
public final class ServerSession {
  private final Membership membership;
  private final ServerId server;
  private final ServerChannel channel;
  private final Consumer<List<Use>> held;

  /**
   * @param held given what the server says that it holds of applications
   */
  ServerSession(
      Membership membership, ServerId server, ServerChannel channel, Consumer<List<Use>> held) {
    this.membership = membership;
    this.server = server;
    this.channel = channel;
    this.held = held;
  }

  /** Takes a report; one of a session that was replaced or ended is ignored. */
  public void report(ServerReport report) {
    if (membership.report(server, channel, report, false)) {
      held.accept(report.uses());
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
