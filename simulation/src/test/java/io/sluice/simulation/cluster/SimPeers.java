package io.sluice.simulation.cluster;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.server.replication.PeerConnector;
import io.sluice.simulation.network.Host;
import io.sluice.simulation.network.SimNetwork;
import io.sluice.simulation.time.SimLoop;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.ReplicaMember;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientProtocol;
import io.sluice.transport.session.ClientSettings;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** A server's way to others, over the simulated network. */
final class SimPeers implements PeerConnector {
  private final SimNetwork network;
  private final Host host;
  private final List<SimLoop> loops;
  private final ClientSettings settings;
  private final UnaryOperator<ClientSession> watched;
  private int nextLoop;

  SimPeers(
      SimNetwork network,
      Host host,
      List<SimLoop> loops,
      ServerId self,
      ConnectionTimeouts timeouts,
      UnaryOperator<ClientSession> watched) {
    this.network = network;
    this.host = host;
    this.loops = loops;
    this.settings =
        new ClientSettings(
            new UUID(self.high(), self.low()),
            ClientAuthenticator.none(),
            timeouts,
            Optional.empty(),
            self);
    this.watched = watched;
  }

  @Override
  public Scheduler loop() {
    return loops.get(nextLoop++ % loops.size());
  }

  @Override
  public void connect(Scheduler loop, ReplicaMember member, ClientSession session) {
    ClientSession observed = watched.apply(session);
    network.connect(
        host,
        (SimLoop) loop,
        member.host() + ":" + member.port(),
        output -> new ClientProtocol(settings, member.id(), observed, output),
        why -> observed.closed(new SluiceException(ErrorCode.CONNECT_FAILED, member + ": " + why)));
  }
}
