package io.sluice.coordinator.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.placement.Place;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.membership.ServerState;
import io.sluice.coordinator.membership.ServerTraits;
import io.sluice.coordinator.membership.ServerView;
import io.sluice.coordinator.testing.Servers;
import io.sluice.proto.control.v1.ServerEvent;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What drivers are told of servers that they may, or rather should not, give partitions to. */
class ServerEventTest {
  private static final ServerView SERVER =
      new ServerView(
          Servers.address(1, 1),
          ServerState.ACTIVE,
          0,
          Servers.free(1 << 30),
          false,
          false,
          new ServerTraits(new Place("a", "7"), Set.of("nvme")),
          new ServerView.Software("test", ""));

  private static ServerEvent event(Optional<PlacementStyle> style, Set<String> tags, String zone) {
    return Responses.event(SERVER, new PlacementWishes(style, tags, zone), PlacementStyle.BALANCED);
  }

  @Test
  void saysWhereAServerStands() {
    ServerEvent event = event(Optional.empty(), Set.of(), "b");

    assertThat(event.getZone()).isEqualTo("a");
    assertThat(event.getRack()).isEqualTo("7");
    assertThat(event.getUnsuitable()).isFalse();
    assertThat(event.getWeight()).as("balanced placement knows no zones").isEqualTo(1 << 30);
  }

  @Test
  void aServerWithoutADiskThatTakesWritesIsTheLastThatDriversTake() {
    ServerView unhealthy =
        new ServerView(
            SERVER.address(),
            ServerState.UNHEALTHY,
            0,
            Servers.withDisks(1 << 30, false),
            false,
            false,
            SERVER.traits(),
            SERVER.software());

    ServerEvent event =
        Responses.event(
            unhealthy,
            new PlacementWishes(Optional.empty(), Set.of(), ""),
            PlacementStyle.BALANCED);

    assertThat(event.getState()).isEqualTo(io.sluice.proto.control.v1.ServerState.ACTIVE);
    assertThat(event.getWeight()).isEqualTo(1);
    assertThat(Responses.server(unhealthy).getState())
        .as("to operators")
        .isEqualTo(io.sluice.proto.control.v1.ServerState.UNHEALTHY);
  }

  @Test
  void aServerWithoutGrpcIsUnsuitableForWhoSpeaksNothingElse() {
    PlacementWishes grpc = PlacementWishes.NONE.withGrpc(true);
    ServerView without =
        new ServerView(
            Servers.withoutGrpc(1).address(),
            ServerState.ACTIVE,
            0,
            SERVER.load(),
            false,
            false,
            SERVER.traits(),
            SERVER.software());
    assertThat(Responses.event(SERVER, grpc, PlacementStyle.BALANCED).getUnsuitable()).isFalse();
    assertThat(Responses.event(without, grpc, PlacementStyle.BALANCED).getUnsuitable()).isTrue();
    assertThat(
            Responses.event(without, PlacementWishes.NONE, PlacementStyle.BALANCED).getUnsuitable())
        .isFalse();
  }

  @Test
  void aServerWithoutATagIsUnsuitable() {
    assertThat(event(Optional.empty(), Set.of("nvme"), "").getUnsuitable()).isFalse();
    assertThat(event(Optional.empty(), Set.of("nvme", "large"), "").getUnsuitable()).isTrue();
  }

  @Test
  void aServerInAnotherZoneIsTheLastThatAZoneLocalApplicationTakes() {
    Optional<PlacementStyle> local = Optional.of(PlacementStyle.ZONE_LOCAL);

    assertThat(event(local, Set.of(), "a").getWeight()).isEqualTo(1 << 30);
    assertThat(event(local, Set.of(), "b").getWeight()).isEqualTo(1);
    assertThat(event(local, Set.of(), "").getWeight()).isEqualTo(1 << 30);
  }
}
