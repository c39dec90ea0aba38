package io.sluice.server;

import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.ApplicationUsage;
import io.sluice.proto.control.v1.DiskLoad;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerHello;
import io.sluice.proto.control.v1.ServerLoad;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.version.ControlVersion;
import io.sluice.server.config.StandingConfig;
import io.sluice.server.control.ControlHandler;
import io.sluice.server.control.UsageNews;
import io.sluice.server.metrics.ServerGauges;
import io.sluice.server.security.KnownVerifiers;
import io.sluice.server.security.VerifierDirectory;
import io.sluice.server.segment.SegmentStore;
import io.sluice.server.user.KnownUsers;
import io.sluice.transport.ServerIdentity;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the coordinator about the core, and the core what the coordinator says. */
final class ControlLink implements ControlHandler {
  private static final Logger log = LoggerFactory.getLogger(ControlLink.class);

  private final ServerCore core;
  private final ServerGauges gauges;
  private final List<? extends SegmentStore> stores;
  private final ServerIdentities identities;
  private final Endpoints endpoints;
  private final boolean wantsUsers;
  private final UsageNews usage = new UsageNews();
  private final Fencing fencing = new Fencing(this::riseAbove);
  private final Optional<VerifierDirectory> verifiers;

  /**
   * Where others reach the server; HTTP on the same host, at the port that was bound.
   *
   * @param grpcPort 0 without gRPC
   * @param standing where the machine is
   */
  record Endpoints(String host, int port, int grpcPort, int httpPort, StandingConfig standing) {}

  /**
   * @param wantsUsers whether anything here depends on whose applications are
   * @param verifiers where those that the coordinator tells go; empty where security is off
   */
  ControlLink(
      ServerCore core,
      List<? extends SegmentStore> stores,
      ServerIdentities identities,
      Endpoints endpoints,
      boolean wantsUsers,
      Optional<VerifierDirectory> verifiers) {
    this.core = core;
    this.gauges = new CoreGauges(core);
    this.stores = stores;
    this.identities = identities;
    this.endpoints = endpoints;
    this.wantsUsers = wantsUsers;
    this.verifiers = verifiers;
  }

  @Override
  public ServerHello hello() {
    usage.begin();
    ServerIdentity self = identities.current();
    ServerHello.Builder hello =
        ServerHello.newBuilder()
            .setOldestVersion(ControlVersion.OLDEST)
            .setNewestVersion(ControlVersion.NEWEST)
            .setAddress(
                ServerAddress.newBuilder()
                    .setId(Uuid.newBuilder().setHigh(self.id().high()).setLow(self.id().low()))
                    .setIncarnation(self.incarnation())
                    .setIntactSince(self.intactSince())
                    .setHost(endpoints.host())
                    .setPort(endpoints.port())
                    .setGrpcPort(endpoints.grpcPort()))
            .setVersion(version())
            .setHttpAddress(endpoints.host() + ":" + endpoints.httpPort())
            .setWantsUsers(wantsUsers)
            .setWantsVerifiers(verifiers.isPresent())
            .setZone(endpoints.standing().place().zone())
            .setRack(endpoints.standing().place().rack())
            .addAllTags(endpoints.standing().tags());
    for (ApplicationId application : core.shuffles().applications()) {
      hello.addApplications(
          Uuid.newBuilder().setHigh(application.high()).setLow(application.low()));
    }
    return hello.build();
  }

  private static String version() {
    String version = ControlLink.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public ServerLoad load() {
    ServerLoad.Builder load =
        ServerLoad.newBuilder()
            .setMemoryCapacityBytes(gauges.arenaCapacity())
            .setMemoryUsedBytes(gauges.chunkBytes())
            .setConnections(core.stats().connections())
            .setPartitions(gauges.partitions())
            .setBytesPushed(core.stats().pushedBytes())
            .setBytesFetched(core.stats().fetchedBytes())
            .setBytesSpilled(core.stats().flushedBytes());
    for (SegmentStore store : stores) {
      SegmentStore.DiskUsage usage = store.usage();
      load.addDisks(
          DiskLoad.newBuilder()
              .setPath(store.name())
              .setCapacityBytes(usage.capacity())
              .setFreeBytes(usage.free())
              .setHealthy(usage.healthy())
              .setFileSystem(store.fileSystem())
              .setTier(store.tier().name().toLowerCase(Locale.ROOT))
              .setBytesWritten(usage.bytesWritten())
              .setBytesRead(usage.bytesRead()));
    }
    return load.build();
  }

  @Override
  public List<ApplicationUsage> usageNews() {
    return usage.next(UsageNews.uses(core.shuffles().all(), core.quotas()));
  }

  @Override
  public void removeShuffle(ShuffleKey shuffle) {
    core.shuffles().remove(shuffle);
  }

  @Override
  public void removeApplication(ApplicationId application) {
    // Before its data goes, so that nobody brings more in its name.
    verifiers.ifPresent(known -> known.forget(application));
    core.shuffles().remove(application);
  }

  @Override
  public void returned(List<ApplicationId> applications) {
    applications.forEach(core.shuffles()::admit);
  }

  @Override
  public void verifiers(KnownVerifiers told) {
    verifiers.ifPresent(known -> known.learn(told));
  }

  @Override
  public void users(KnownUsers users) {
    core.quotas().learn(users);
  }

  @Override
  public CompletionStage<Void> drain(boolean begins) {
    return core.decommission(begins);
  }

  @Override
  public CompletionStage<Boolean> fence(long incarnation) {
    return fencing.begin(incarnation);
  }

  private void riseAbove(long lost) {
    // A session that began while one was being taken has it asked for again: nobody is stale then.
    if (identities.rise(lost, this::answers)) {
      core.endStaleConnections();
      log.info("this server is now {}", identities.current());
    }
  }

  @Override
  public void unheard(int times) {
    if (times == 1) {
      log.warn("coordinators have not heard this server for a while: writers look for others");
    }
    core.unheard(times);
  }

  /** Whether a disk is worth waiting for: one that hangs would hold up the others for good. */
  private boolean answers(String disk) {
    return stores.stream()
        .filter(store -> store.name().equals(disk))
        .allMatch(store -> store.health().readable());
  }
}
