package io.sluice.coordinator.grpc;

import com.google.protobuf.ByteString;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.Place;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.application.ApplicationView;
import io.sluice.coordinator.membership.Directive;
import io.sluice.coordinator.membership.DiskLoad;
import io.sluice.coordinator.membership.ServerLoad;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.placement.FreeCapacity;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.proto.control.v1.ApplicationInfo;
import io.sluice.proto.control.v1.ApplicationUsers;
import io.sluice.proto.control.v1.ApplicationVerifier;
import io.sluice.proto.control.v1.ApplicationVerifiers;
import io.sluice.proto.control.v1.ApplicationsReturned;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.ServerEvent;
import io.sluice.proto.control.v1.ServerInfo;
import io.sluice.proto.control.v1.ServerState;
import io.sluice.proto.control.v1.ServerWelcome;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.UserApplications;
import io.sluice.proto.control.v1.Uuid;

/** Writes what goes onto the wire. */
final class Responses {
  private Responses() {}

  static io.sluice.proto.control.v1.Placement placement(Placement placement) {
    var builder = io.sluice.proto.control.v1.Placement.newBuilder();
    placement.servers().forEach(server -> builder.addServers(address(server)));
    for (int server : placement.assignment()) {
      builder.addAssignment(server);
    }
    return builder.setReplicas(placement.replicas()).build();
  }

  /**
   * @param version that is spoken with the server
   */
  static ServerDirective directive(Directive directive, int version) {
    ServerDirective.Builder builder = ServerDirective.newBuilder();
    if (directive instanceof Directive.Welcome welcome) {
      builder.setWelcome(
          ServerWelcome.newBuilder()
              .setTerm(welcome.term())
              .setHeartbeatIntervalMillis(welcome.heartbeatIntervalMillis())
              .setVersion(version));
    } else if (directive instanceof Directive.RemoveShuffle remove) {
      builder.setRemoveShuffle(shuffle(remove.shuffle()));
    } else if (directive instanceof Directive.RemoveApplication remove) {
      builder.setRemoveApplication(uuid(remove.application().high(), remove.application().low()));
    } else if (directive instanceof Directive.Returned returned) {
      ApplicationsReturned.Builder applications = ApplicationsReturned.newBuilder();
      returned
          .applications()
          .forEach(id -> applications.addApplications(uuid(id.high(), id.low())));
      builder.setApplicationsReturned(applications);
    } else if (directive instanceof Directive.Fence fence) {
      builder.setFenceIncarnation(fence.incarnation());
    } else if (directive instanceof Directive.Drain drain) {
      builder.setDrain(drain.begins());
    } else if (directive instanceof Directive.Users users) {
      builder.setApplicationUsers(users(users));
    } else if (directive instanceof Directive.Verifiers verifiers) {
      builder.setApplicationVerifiers(verifiers(verifiers));
    } else {
      throw new AssertionError(directive);
    }
    return builder.build();
  }

  private static ApplicationUsers users(Directive.Users users) {
    ApplicationUsers.Builder builder =
        ApplicationUsers.newBuilder().setFirst(users.first()).setLast(users.last());
    users
        .applications()
        .forEach(
            (user, applications) -> {
              UserApplications.Builder entry = UserApplications.newBuilder().setUser(user);
              applications.forEach(id -> entry.addApplications(uuid(id.high(), id.low())));
              builder.addUsers(entry);
            });
    return builder.build();
  }

  private static ApplicationVerifiers verifiers(Directive.Verifiers verifiers) {
    ApplicationVerifiers.Builder builder =
        ApplicationVerifiers.newBuilder().setFirst(verifiers.first()).setLast(verifiers.last());
    verifiers
        .applications()
        .forEach(
            (id, verifier) ->
                builder.addVerifiers(
                    ApplicationVerifier.newBuilder()
                        .setApplication(uuid(id.high(), id.low()))
                        .setVerifier(ByteString.copyFrom(verifier.encode()))));
    return builder.build();
  }

  /**
   * For an application with such wishes.
   *
   * @param standard how shuffles are placed of applications that do not say
   */
  static ServerEvent event(ServerView server, PlacementWishes wishes, PlacementStyle standard) {
    String zone = wishes.keptIn(standard);
    boolean away = !zone.isEmpty() && !zone.equals(server.traits().place().zone());
    Place place = server.traits().place();
    return ServerEvent.newBuilder()
        .setServer(address(server.address()))
        .setState(toDrivers(server))
        .setLostIncarnation(server.lostIncarnation())
        .setWeight(weight(server, away))
        .setZone(place.zone())
        .setRack(place.rack())
        // One that this leader has not met yet may lack them: its first report makes it known.
        .setUnsuitable(!server.suits(wishes))
        .build();
  }

  /** One byte for a server that is to be taken only where there is no other. */
  private static long weight(ServerView server, boolean away) {
    if (!server.hasReported()) {
      return 0;
    }
    boolean last = server.excluded() || server.load().isWithoutDisk();
    return last || away ? 1 : Math.max(1, FreeCapacity.of(server.load()));
  }

  static ServerInfo server(ServerView server) {
    ServerInfo.Builder info =
        ServerInfo.newBuilder()
            .setAddress(address(server.address()))
            .setState(state(server))
            .setVersion(server.software().version())
            .setHttpAddress(server.software().httpAddress())
            .setDrained(server.drained())
            .setZone(server.traits().place().zone())
            .setRack(server.traits().place().rack())
            .addAllTags(server.traits().tags())
            .setExcluded(server.excluded());
    if (server.hasReported()) {
      info.setLoad(load(server.load()));
    }
    return info.build();
  }

  static ApplicationInfo application(ApplicationView view) {
    return ApplicationInfo.newBuilder()
        .setApplication(uuid(view.application().id().high(), view.application().id().low()))
        .setEngineId(view.application().engineId())
        .setUser(view.application().user())
        .setShuffles(view.shuffles())
        .build();
  }

  /**
   * Drivers may still have to take a server whose disks take nothing, into its memory, where there
   * is no other: disks that are full or falter for a while must not fail jobs.
   */
  private static ServerState toDrivers(ServerView server) {
    ServerState state = state(server);
    return state == ServerState.UNHEALTHY ? ServerState.ACTIVE : state;
  }

  private static ServerState state(ServerView server) {
    return switch (server.state()) {
      case ACTIVE -> ServerState.ACTIVE;
      case UNHEALTHY -> ServerState.UNHEALTHY;
      case SUSPECT -> ServerState.SUSPECT;
      case DRAINING -> ServerState.DRAINING;
      case RESTARTING -> ServerState.RESTARTING;
      case LOST -> ServerState.LOST;
    };
  }

  private static io.sluice.proto.control.v1.ServerLoad load(ServerLoad load) {
    var builder =
        io.sluice.proto.control.v1.ServerLoad.newBuilder()
            .setMemoryCapacityBytes(load.memory().capacity())
            .setMemoryUsedBytes(load.memory().used())
            .setConnections(load.traffic().connections())
            .setPartitions(load.traffic().partitions())
            .setBytesPushed(load.traffic().pushed())
            .setBytesFetched(load.traffic().fetched())
            .setBytesSpilled(load.traffic().spilled());
    for (DiskLoad disk : load.disks()) {
      builder.addDisks(
          io.sluice.proto.control.v1.DiskLoad.newBuilder()
              .setPath(disk.path())
              .setCapacityBytes(disk.capacity())
              .setFreeBytes(disk.free())
              .setHealthy(disk.healthy())
              .setFileSystem(disk.fileSystem())
              .setTier(disk.tier())
              .setBytesWritten(disk.traffic().written())
              .setBytesRead(disk.traffic().read()));
    }
    return builder.build();
  }

  private static io.sluice.proto.control.v1.ServerAddress address(ServerAddress address) {
    return io.sluice.proto.control.v1.ServerAddress.newBuilder()
        .setId(uuid(address.id().high(), address.id().low()))
        .setIncarnation(address.incarnation())
        .setIntactSince(address.intactSince())
        .setHost(address.host())
        .setPort(address.port())
        .setGrpcPort(address.grpcPort())
        .build();
  }

  private static ShuffleRef shuffle(ShuffleKey key) {
    return ShuffleRef.newBuilder()
        .setApplication(uuid(key.application().high(), key.application().low()))
        .setShuffleId(key.shuffleId())
        .setGeneration(key.generation())
        .build();
  }

  static Uuid uuid(ServerId id) {
    return uuid(id.high(), id.low());
  }

  private static Uuid uuid(long high, long low) {
    return Uuid.newBuilder().setHigh(high).setLow(low).build();
  }
}
