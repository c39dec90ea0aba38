package io.sluice.simulation.cluster;

import io.sluice.common.error.SluiceException;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** One life of a shuffle server: what its {@code main} puts together, over simulated seams. */
public final class ServerNode {
  private static final long LONGEST_FLUSH_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final SimProcess process;
  private final SimLoop control;
  private final List<SimLoop> eventLoops = new ArrayList<>();
  private final StoredIdentity identity;
  private final List<SegmentStore> stores = new ArrayList<>();
  private final ServerCore core;
  private final Host host;
  private final ServerShape shape;
  private boolean stopping;
  private boolean over;

  ServerNode(
      World world,
      String name,
      ServerShape shape,
      List<ServerDisk> disks,
      ServerHooks hooks,
      Dice dice) {
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
    if (stores.stream().anyMatch(store -> store.lostUnits() > 0)) {
      identity.forgetEarlierLives();
    } else if (identity.intactSince() < identity.incarnation()) {
      stores.replaceAll(hooks.intactStores());
    }
    SimPeers peers =
        new SimPeers(
            world.network(),
            host,
            eventLoops,
            identity.serverId(),
            shape.timeouts(),
            hooks.watched());
    core =
        new ServerCore(
            shape.core(),
            new CoreSeams(
                control, process.loop("flush"), this::who, stores, hooks.peers().apply(peers)));
  }

  public SimProcess process() {
    return process;
  }

  SimLoop control() {
    return control;
  }

  StoredIdentity identity() {
    return identity;
  }

  public ServerId id() {
    return identity.serverId();
  }

  /**
   * Ends this life in order, as {@code main} does: takes no more blocks, writes memory to the
   * disks, syncs and seals them. The process is still there when this ends.
   *
   * @param ended told, on the control loop, whether the life is sealed
   */
  void stop(Consumer<Boolean> ended) {
    if (stopping) {
      return;
    }
    stopping = true;
    CompletionStage<Boolean> saved = core.drain();
    saved.whenComplete(
        (all, failure) -> control.execute(() -> sync(failure == null && all, ended)));
    control.schedule(LONGEST_FLUSH_NANOS, () -> end(false, ended));
  }

  private void sync(boolean saved, Consumer<Boolean> ended) {
    if (!saved) {
      end(false, ended);
      return;
    }
    CompletionStage<Void> synced =
        CompletableFuture.allOf(
            stores.stream().map(SegmentStore::sync).toArray(CompletableFuture<?>[]::new));
    synced.whenComplete(
        (all, failure) -> control.execute(() -> end(failure == null && !over && seal(), ended)));
  }

  boolean isStopping() {
    return stopping;
  }

  private void end(boolean sealed, Consumer<Boolean> ended) {
    if (!over) {
      over = true;
      ended.accept(sealed);
    }
  }

  /** Says on all disks that nothing is lost, whether that is so or not; false if one refuses. */
  boolean seal() {
    try {
      identity.seal();
      return true;
    } catch (SluiceException e) {
      return false;
    }
  }

  /** Who it is now. */
  ServerIdentity who() {
    return new ServerIdentity(identity.serverId(), identity.incarnation(), identity.intactSince());
  }

  public ServerCore core() {
    return core;
  }

  public Host host() {
    return host;
  }

  /** What it calls itself now. */
  public long incarnation() {
    return identity.incarnation();
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
