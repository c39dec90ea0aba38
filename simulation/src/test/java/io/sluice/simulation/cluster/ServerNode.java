package io.sluice.simulation.cluster;

import io.sluice.common.id.ServerId;
import io.sluice.server.CoreSeams;
import io.sluice.server.ServerCore;
import io.sluice.server.disk.Disk;
import io.sluice.server.identity.StoredIdentity;
import io.sluice.server.segment.SegmentStore;
import io.sluice.simulation.disk.ServerDisk;
import io.sluice.simulation.network.Host;
import io.sluice.simulation.network.SimNetwork.Listener;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.SimLoop;
import io.sluice.simulation.time.SimProcess;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.ServerSessionFactory;
import io.sluice.transport.session.Output;
import io.sluice.transport.session.Protocol;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerProtocol;
import io.sluice.transport.session.ServerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

/** One life of a shuffle server: what its {@code main} puts together, over simulated seams. */
public final class ServerNode {
  private final SimProcess process;
  private final SimLoop control;
  private final List<SimLoop> eventLoops = new ArrayList<>();
  private final StoredIdentity identity;
  private final List<SegmentStore> stores = new ArrayList<>();
  private final ServerCore core;
  private final Host host;
  private final ServerShape shape;

  ServerNode(World world, String name, ServerShape shape, List<ServerDisk> disks, Dice dice) {
    this.shape = shape;
    this.process = world.process(name);
    this.host = world.host(process);
    this.control = process.loop("control");
    for (int i = 0; i < shape.eventLoops(); i++) {
      eventLoops.add(process.loop("loop" + i));
    }
    List<Disk> found = disks.stream().map(ServerDisk::restarted).toList();
    identity = StoredIdentity.claim(found, () -> new UUID(dice.nextLong(), dice.nextLong()));
    for (ServerDisk disk : shape.dataOnDisk() ? disks : List.<ServerDisk>of()) {
      stores.add(disk.openStore(process, shape.disks(), identity.incarnation()));
    }
    core =
        new ServerCore(
            shape.core(),
            new CoreSeams(control, process.loop("flush"), this::who, stores));
  }

  SimProcess process() {
    return process;
  }

  SimLoop control() {
    return control;
  }

  StoredIdentity identity() {
    return identity;
  }

  ServerId id() {
    return identity.serverId();
  }

  /** Who it is now. */
  ServerIdentity who() {
    return new ServerIdentity(identity.serverId(), identity.incarnation());
  }

  public ServerCore core() {
    return core;
  }

  public Host host() {
    return host;
  }

  List<SegmentStore> stores() {
    return stores;
  }

  Listener listener(UnaryOperator<ServerSessionFactory> wrapper) {
    ServerSessionFactory sessions = wrapper.apply(core);
    return new Listener(
        host,
        connection -> eventLoops.get(connection % eventLoops.size()),
        output -> protocol(sessions, output),
        shape.timeouts().tickNanos());
  }

  private Protocol protocol(ServerSessionFactory sessions, Output output) {
    ServerSettings settings =
        new ServerSettings(
            this::who,
            ServerAuthenticator.none(),
            shape.limits(),
            shape.timeouts(),
            shape.verifyCrc());
    return new ServerProtocol(settings, sessions, output);
  }

  @Override
  public String toString() {
    return process + "@" + identity.incarnation();
  }
}
