package io.sluice.coordinator.cluster;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus;
import io.sluice.coordinator.membership.ServerLoad;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerTraits;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.testing.Servers;

/** Made-up servers as leaders see them, and as drivers are told of them. */
final class ServerPictures {
  private ServerPictures() {}

  static ServerView view(long number, long life, ServerState state) {
    long lost = state == ServerState.LOST ? life : life - 1;
    ServerLoad load = Servers.report(1 << 30).load();
    return new ServerView(
        Servers.address(number, life),
        state,
        lost,
        load,
        false,
        false,
        ServerTraits.NONE,
        new ServerView.Software("", ""));
  }

  static PlacedServer placed(ServerAddress address) {
    return new PlacedServer(address.id(), address.incarnation(), address.host(), address.port());
  }

  static ServerStatus status(ServerView view) {
    ServerStatus.State state =
        view.state() == ServerState.LOST ? ServerStatus.State.LOST : ServerStatus.State.ACTIVE;
    return new ServerStatus(
        placed(view.address()), state, view.address().incarnation(), view.lostIncarnation(), 1);
  }
}
