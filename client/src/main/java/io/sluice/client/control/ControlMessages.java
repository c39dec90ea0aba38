package io.sluice.client.control;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.Place;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.proto.control.v1.Placement;
import io.sluice.proto.control.v1.ServerAddress;
import io.sluice.proto.control.v1.ServerEvent;
import io.sluice.proto.control.v1.ShuffleRef;
import io.sluice.proto.control.v1.Uuid;
import java.util.ArrayList;
import java.util.List;

/** Between messages and what the client works with. */
final class ControlMessages {
  private ControlMessages() {}

  static Uuid uuid(ApplicationId id) {
    return Uuid.newBuilder().setHigh(id.high()).setLow(id.low()).build();
  }

  static Uuid uuid(ServerId id) {
    return Uuid.newBuilder().setHigh(id.high()).setLow(id.low()).build();
  }

  static ShuffleRef shuffle(ShuffleKey key) {
    return ShuffleRef.newBuilder()
        .setApplication(uuid(key.application()))
        .setShuffleId(key.shuffleId())
        .setGeneration(key.generation())
        .build();
  }

  /**
   * @throws SluiceException INTERNAL_ERROR if the coordinator answered something else than was
   *     asked
   */
  static FixedPlacement placement(ShuffleKey shuffle, int partitions, Placement placement) {
    List<PlacedServer> servers = new ArrayList<>(placement.getServersCount());
    placement.getServersList().forEach(server -> servers.add(server(server)));
    int[] assignment = new int[placement.getAssignmentCount()];
    for (int i = 0; i < assignment.length; i++) {
      assignment[i] = placement.getAssignment(i);
    }
    try {
      return FixedPlacement.of(shuffle, partitions, servers, placement.getReplicas(), assignment);
    } catch (SluiceException e) {
      throw new SluiceException(
          ErrorCode.INTERNAL_ERROR, "the coordinator's placement of " + shuffle + " is wrong", e);
    }
  }

  static ServerStatus status(ServerEvent event) {
    ServerAddress address = event.getServer();
    long intactSince =
        address.getIntactSince() == 0 ? address.getIncarnation() : address.getIntactSince();
    return new ServerStatus(
            server(address),
            state(event),
            intactSince,
            event.getLostIncarnation(),
            event.getWeight())
        .standing(new Place(event.getZone(), event.getRack()), !event.getUnsuitable());
  }

  static io.sluice.proto.control.v1.PlacementWishes wishes(PlacementWishes wishes) {
    io.sluice.proto.control.v1.PlacementWishes.Builder message =
        io.sluice.proto.control.v1.PlacementWishes.newBuilder()
            .addAllTags(wishes.tags())
            .setZone(wishes.zone())
            .setGrpc(wishes.grpc());
    wishes.style().ifPresent(style -> message.setStyle(style(style)));
    return message.build();
  }

  private static io.sluice.proto.control.v1.PlacementStyle style(PlacementStyle style) {
    switch (style) {
      case BALANCED:
        return io.sluice.proto.control.v1.PlacementStyle.BALANCED;
      case PACKED:
        return io.sluice.proto.control.v1.PlacementStyle.PACKED;
      case ZONE_LOCAL:
        return io.sluice.proto.control.v1.PlacementStyle.ZONE_LOCAL;
    }
    throw new AssertionError(style);
  }

  private static ServerStatus.State state(ServerEvent event) {
    switch (event.getState()) {
      case ACTIVE:
        return ServerStatus.State.ACTIVE;
      case RESTARTING:
        return ServerStatus.State.RESTARTING;
      case DRAINING:
        return ServerStatus.State.DRAINING;
      case LOST:
        return ServerStatus.State.LOST;
      case UNHEALTHY:
        return ServerStatus.State.UNHEALTHY;
      case SUSPECT:
      case SERVER_STATE_UNSPECIFIED:
      case UNRECOGNIZED:
        // A state of a newer coordinator: be careful, give nothing up.
        return ServerStatus.State.SUSPECT;
    }
    throw new AssertionError(event.getState());
  }

  private static PlacedServer server(ServerAddress address) {
    return new PlacedServer(
        ServerId.of(address.getId().getHigh(), address.getId().getLow()),
        address.getIncarnation(),
        address.getHost(),
        address.getPort(),
        address.getGrpcPort());
  }
}
