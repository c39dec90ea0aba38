package io.sluice.simulation.cluster;

import io.sluice.client.ClientConfig;
import io.sluice.client.PlacedServer;
import io.sluice.client.SluiceClient;
import io.sluice.client.TaskSignal;
import io.sluice.client.connection.Connector;
import io.sluice.client.placement.Placements;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.time.Scheduler;
import io.sluice.simulation.network.Host;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.SimLoop;
import io.sluice.simulation.time.SimProcess;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.session.ClientAuthenticator;
import io.sluice.transport.session.ClientProtocol;
import io.sluice.transport.session.ClientSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** An engine's process with the client in it. */
public final class SimClient {
  private final World world;
  private final SimProcess process;
  private final Host host;
  private final List<SimLoop> loops = new ArrayList<>();
  private final ClientSettings settings;
  private final UnaryOperator<ClientSession> watched;
  private final SluiceClient client;
  private int nextLoop;

  /**
   * @param placements where newer placements come from
   * @param signals how its tasks wait
   * @param watched wraps each session, to look at what the server says
   */
  public SimClient(
      World world,
      String name,
      ClientConfig config,
      Placements placements,
      ConnectionTimeouts timeouts,
      TaskSignal.Factory signals,
      UnaryOperator<ClientSession> watched) {
    this.world = world;
    this.watched = watched;
    this.process = world.process(name);
    this.host = world.host(process);
    for (int i = 0; i < config.eventLoops(); i++) {
      loops.add(process.loop("loop" + i));
    }
    Dice dice = world.forkDice();
    this.settings =
        new ClientSettings(
            new UUID(dice.nextLong(), dice.nextLong()), ClientAuthenticator.none(), timeouts);
    this.client =
        new SluiceClient(
            config, new SimConnector(), placements, host.allocator(), signals, process.clock());
  }

  public SimProcess process() {
    return process;
  }

  public SluiceClient client() {
    return client;
  }

  /** Whether all event loops have ended, as they do after the client was closed. */
  public boolean isClosed() {
    return loops.stream().allMatch(SimLoop::isStopped);
  }

  public Host host() {
    return host;
  }

  private final class SimConnector implements Connector {
    @Override
    public Scheduler loop() {
      return loops.get(nextLoop++ % loops.size());
    }

    @Override
    public void connect(Scheduler loop, PlacedServer server, ClientSession session) {
      ClientSession observed = watched.apply(session);
      world
          .network()
          .connect(
              host,
              (SimLoop) loop,
              server.host() + ":" + server.port(),
              output -> new ClientProtocol(settings, server.id(), observed, output),
              why ->
                  observed.closed(
                      new SluiceException(ErrorCode.CONNECT_FAILED, server + ": " + why)));
    }

    @Override
    public void close() {
      loops.forEach(loop -> loop.stop(() -> world.network().closeAll(host, loop)));
    }
  }
}
