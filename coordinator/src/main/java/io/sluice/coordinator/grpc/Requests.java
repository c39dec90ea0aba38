package io.sluice.coordinator.grpc;

import com.google.protobuf.ByteString;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.Label;
import io.sluice.common.placement.Place;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.common.security.Verifier;
import io.sluice.coordinator.application.Applications;
import io.sluice.coordinator.application.ShuffleSpec;
import io.sluice.coordinator.membership.DiskLoad;
import io.sluice.coordinator.membership.ServerHello;
import io.sluice.coordinator.membership.ServerLoad;
import io.sluice.coordinator.membership.ServerReport;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.membership.ServerTraits;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.rest.Call;
import io.sluice.coordinator.rest.Caller;
import io.sluice.coordinator.rest.Role;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.HeartbeatApplicationRequest;
import io.sluice.proto.control.v1.HeldShuffle;
import io.sluice.proto.control.v1.RegisterApplicationRequest;
import io.sluice.proto.control.v1.RestCall;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.control.v1.WatchServersRequest;
import io.sluice.proto.version.ControlVersion;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads and checks what came off the wire. Every method throws INVALID_ARGUMENT on nonsense. */
final class Requests {
  private static final UUID NIL = new UUID(0, 0);

  /** As much as over HTTP. */
  private static final int MAX_REST_BODY = 64 << 10;

  /** A host name has at most 253 letters (RFC 1035); engines' ids and versions are far shorter. */
  private static final int MAX_TEXT = 256;

  /** Linux takes no longer path (PATH_MAX), and names file systems by paths. */
  private static final int MAX_PATH = 4096;

  /** Shuffles that an application may say at once it has. */
  private static final int MAX_HELD = Applications.MAX_TOLD_BY_ONE;

  /** As control.proto says. */
  private static final int MAX_WATCHED = 20_000;

  private static final int MAX_DISKS = 1024;
  private static final int MAX_USES = 256;
  private static final int MAX_PORT = 65_535;
  private static final long MAX_LEASE_MILLIS = TimeUnit.DAYS.toMillis(7);

  private Requests() {}

  static ApplicationId application(boolean present, Uuid id) {
    requireId(present, id, "application id");
    return ApplicationId.of(id.getHigh(), id.getLow());
  }

  static ApplicationRecord registration(RegisterApplicationRequest request, long nowMillis) {
    return new ApplicationRecord(
        application(request.hasApplication(), request.getApplication()),
        text("engine_id", request.getEngineId()),
        text("user", request.getUser()),
        text("engine", request.getEngine()),
        text("client_version", request.getClientVersion()),
        nowMillis,
        verifier(request.getVerifier()),
        lease(request.getLeaseMillis()),
        request.getAgain(),
        wishes(request.getPlacement()));
  }

  private static PlacementWishes wishes(io.sluice.proto.control.v1.PlacementWishes wishes) {
    return new PlacementWishes(
            switch (wishes.getStyle()) {
              case BALANCED -> Optional.of(PlacementStyle.BALANCED);
              case PACKED -> Optional.of(PlacementStyle.PACKED);
              case ZONE_LOCAL -> Optional.of(PlacementStyle.ZONE_LOCAL);
              case PLACEMENT_STYLE_UNSPECIFIED, UNRECOGNIZED -> Optional.empty();
            },
            tags(wishes.getTagsList()),
            label("zone", wishes.getZone()))
        .withGrpc(wishes.getGrpc());
  }

  private static List<String> tags(List<String> tags) {
    require(tags.size() <= Label.TAGS_MAX, tags.size() + " tags, at most " + Label.TAGS_MAX);
    tags.forEach(tag -> require(Label.isLabel(tag), "a tag is no label"));
    return tags;
  }

  private static String label(String field, String value) {
    require(value.isEmpty() || Label.isLabel(value), field + " is no label");
    return value;
  }

  private static long lease(long millis) {
    require(millis >= 0 && millis <= MAX_LEASE_MILLIS, "a lease of " + millis + " ms");
    return millis;
  }

  private static @Nullable Verifier verifier(ByteString bytes) {
    if (bytes.isEmpty()) {
      return null;
    }
    require(bytes.size() == Verifier.BYTES, "verifier has " + bytes.size() + " bytes");
    return Verifier.decode(bytes.toByteArray());
  }

  static ShuffleKey shuffle(boolean present, ShuffleRef ref) {
    require(present, "shuffle is missing");
    require(ref.getShuffleId() >= 0, "shuffle_id is negative");
    require(ref.getGeneration() >= 0, "generation is negative");
    return new ShuffleKey(
        application(ref.hasApplication(), ref.getApplication()),
        ref.getShuffleId(),
        ref.getGeneration());
  }

  /** Copies of partitions, by shuffle. */
  static Map<ShuffleKey, Integer> held(
      ApplicationId application, HeartbeatApplicationRequest request) {
    require(request.getShufflesCount() <= MAX_HELD, request.getShufflesCount() + " shuffles");
    Map<ShuffleKey, Integer> held = new HashMap<>();
    for (HeldShuffle one : request.getShufflesList()) {
      require(one.getShuffleId() >= 0, "shuffle_id is negative");
      require(one.getGeneration() >= 0, "generation is negative");
      require(
          one.getCopies() >= 0 && one.getCopies() <= ShuffleSpec.MAX_ASSIGNMENTS,
          one.getCopies() + " copies of partitions");
      held.put(
          new ShuffleKey(application, one.getShuffleId(), one.getGeneration()), one.getCopies());
    }
    return held;
  }

  static Set<ServerId> excluded(CreateShuffleRequest request) {
    return servers(request.getExcludedServersList(), "id of an excluded server");
  }

  static Set<ServerId> watched(WatchServersRequest request) {
    require(
        request.getServersCount() <= MAX_WATCHED,
        "more than " + MAX_WATCHED + " servers are to be watched");
    return servers(request.getServersList(), "id of a watched server");
  }

  static Set<ServerId> servers(List<Uuid> ids, String what) {
    Set<ServerId> servers = new LinkedHashSet<>();
    for (Uuid id : ids) {
      requireId(true, id, what);
      servers.add(ServerId.of(id.getHigh(), id.getLow()));
    }
    return servers;
  }

  static ServerHello hello(io.sluice.proto.control.v1.ServerHello hello) {
    require(hello.hasAddress(), "hello has no address");
    List<ApplicationId> applications =
        hello.getApplicationsList().stream().map(id -> application(true, id)).toList();
    return new ServerHello(
        address(hello.getAddress()),
        text("version", hello.getVersion()),
        applications,
        text("http_address", hello.getHttpAddress()),
        hello.getWantsUsers(),
        hello.getWantsVerifiers(),
        new ServerTraits(
            new Place(label("zone", hello.getZone()), label("rack", hello.getRack())),
            Set.copyOf(tags(hello.getTagsList()))));
  }

  private static ServerAddress address(io.sluice.proto.control.v1.ServerAddress address) {
    requireId(address.hasId(), address.getId(), "server id");
    require(address.getIncarnation() >= 1, "incarnation " + address.getIncarnation() + " < 1");
    require(HostPort.isHost(address.getHost()), "host \"" + address.getHost() + "\" can be none");
    require(
        address.getPort() >= 1 && address.getPort() <= MAX_PORT,
        "port " + address.getPort() + " is not between 1 and " + MAX_PORT);
    require(
        address.getGrpcPort() >= 0 && address.getGrpcPort() <= MAX_PORT,
        "gRPC port " + address.getGrpcPort() + " is not between 0 and " + MAX_PORT);
    return new ServerAddress(
        ServerId.of(address.getId().getHigh(), address.getId().getLow()),
        address.getIncarnation(),
        intactSince(address),
        text("host", address.getHost()),
        address.getPort(),
        address.getGrpcPort());
  }

  private static long intactSince(io.sluice.proto.control.v1.ServerAddress address) {
    long since = address.getIntactSince();
    require(
        since >= 0 && since <= address.getIncarnation(),
        "incarnation " + address.getIncarnation() + " cannot be intact since " + since);
    return since == 0 ? address.getIncarnation() : since;
  }

  /**
   * The version to speak with somebody.
   *
   * @throws SluiceException UNSUPPORTED_VERSION if there is none in common
   */
  static int version(String peer, int oldest, int newest) {
    ControlVersion theirs = ControlVersion.of(oldest, newest);
    return theirs
        .common()
        .orElseThrow(
            () ->
                new SluiceException(
                    ErrorCode.UNSUPPORTED_VERSION, theirs.refusal(peer, "coordinator")));
  }

  static ServerId server(boolean present, Uuid id) {
    requireId(present, id, "server id");
    return ServerId.of(id.getHigh(), id.getLow());
  }

  /**
   * Whoever calls this has proved to be a member, or security is off.
   *
   * @param who what he showed for that; stays beside what he says of whom he passes on
   * @param from host:port of his end of the connection
   */
  static Call rest(RestCall call, String who, String from) {
    require(call.getPath().startsWith("/"), "path has to begin with /");
    require(call.getBody().size() <= MAX_REST_BODY, call.getBody().size() + " bytes of body");
    return new Call(
        call.getMethod(),
        call.getPath(),
        call.getQuery(),
        call.getBody().toByteArray(),
        new Caller(
            call.getReadOnly() ? Role.READER : Role.ADMIN,
            call.getWho().isEmpty() ? who : call.getWho() + " through " + who,
            call.getAskedFrom().isEmpty() ? from : call.getAskedFrom() + " through " + from));
  }

  static ServerReport report(io.sluice.proto.control.v1.ServerReport report) {
    return new ServerReport(
        load(report.hasLoad(), report.getLoad()), intent(report), uses(report.getLoad()));
  }

  private static List<ServerReport.Use> uses(io.sluice.proto.control.v1.ServerLoad load) {
    require(load.getApplicationsCount() <= MAX_USES, load.getApplicationsCount() + " applications");
    return load.getApplicationsList().stream()
        .map(
            use ->
                new ServerReport.Use(
                    application(use.hasApplication(), use.getApplication()),
                    use.getBytes(),
                    use.getPartitions()))
        .toList();
  }

  private static Intent intent(io.sluice.proto.control.v1.ServerReport report) {
    if (report.getStopping()) {
      return report.getDataLost() ? Intent.STOP_WITH_LOSS : Intent.STOP;
    }
    return report.getDraining() ? Intent.DRAIN : Intent.SERVE;
  }

  private static ServerLoad load(boolean present, io.sluice.proto.control.v1.ServerLoad load) {
    if (!present) {
      return ServerLoad.UNKNOWN;
    }
    require(load.getDisksCount() <= MAX_DISKS, load.getDisksCount() + " disks");
    return new ServerLoad(
        new ServerLoad.Memory(load.getMemoryCapacityBytes(), load.getMemoryUsedBytes()),
        load.getDisksList().stream().map(Requests::disk).toList(),
        new ServerLoad.Traffic(
            load.getConnections(),
            load.getPartitions(),
            load.getBytesPushed(),
            load.getBytesFetched(),
            load.getBytesSpilled()));
  }

  private static DiskLoad disk(io.sluice.proto.control.v1.DiskLoad disk) {
    String path = text("path of a disk", disk.getPath(), MAX_PATH);
    String fileSystem = text("file_system of a disk", disk.getFileSystem(), MAX_PATH);
    return new DiskLoad(
        path,
        disk.getCapacityBytes(),
        disk.getFreeBytes(),
        disk.getHealthy(),
        fileSystem.isEmpty() ? path : fileSystem,
        label("tier", disk.getTier()),
        new DiskLoad.Traffic(disk.getBytesWritten(), disk.getBytesRead()));
  }

  private static String text(String field, String value) {
    return text(field, value, MAX_TEXT);
  }

  private static String text(String field, String value, int max) {
    require(value.length() <= max, field + " has more than " + max + " letters");
    // Much of it is logged, here and by servers: nobody is to write lines of his own.
    require(value.chars().noneMatch(Character::isISOControl), field + " has control characters");
    return value;
  }

  private static void requireId(boolean present, Uuid id, String what) {
    require(present, what + " is missing");
    require((id.getHigh() | id.getLow()) != 0, what + " " + NIL + " is nobody's");
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new SluiceException(ErrorCode.INVALID_ARGUMENT, otherwise);
    }
  }
}
