package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementStyle;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.coordinator.membership.ServerReport.Intent;
import io.sluice.coordinator.placement.Apart;
import io.sluice.coordinator.placement.Placement;
import io.sluice.coordinator.registry.ApplicationRecord;
import io.sluice.coordinator.registry.ServerAddress;
import io.sluice.coordinator.registry.Term;
import io.sluice.coordinator.testing.RecordingChannel;
import io.sluice.coordinator.testing.Servers;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What applications may ask of the servers that hold their shuffles. */
class ClusterPlacementTest extends ClusterFixture {
  private static final long FREE = 1 << 30;

  private static ApplicationRecord wishing(PlacementWishes wishes) {
    return new ApplicationRecord(
        APPLICATION, "app-1", "ada", "spark", "0.1", 42, null, 0, false, wishes);
  }

  private static PlacementWishes tags(String... tags) {
    return new PlacementWishes(Optional.empty(), Set.of(tags), "");
  }

  private void register(PlacementWishes wishes) {
    var registration = cluster.register(wishing(wishes)).toCompletableFuture();
    scheduler.runTasks();
    assertThat(registration).isCompleted();
  }

  private ServerSession standing(long number, String zone, String rack, String... tags) {
    return open(
        new RecordingChannel(), Servers.standing(number, zone, rack, tags), FREE, Intent.SERVE);
  }

  private Placement create(int shuffle, int partitions, int replicas) {
    return cluster.createShuffle(
        new ShuffleKey(APPLICATION, shuffle, 0), partitions, replicas, Set.of());
  }

  private SluiceException refusal() {
    return catchThrowableOfType(SluiceException.class, () -> create(0, 4, 1));
  }

  private List<String> events() {
    return cluster.events().after(0, 1_000).stream().map(ClusterEvent::text).toList();
  }

  @Test
  void onlyServersWithAllTagsGetAnything() {
    standing(1, "", "", "nvme");
    standing(2, "", "", "large");
    standing(3, "", "", "nvme", "large");
    standing(4, "", "", "nvme", "large", "new");
    register(tags("nvme", "large"));

    assertThat(create(0, 100, 1).servers())
        .extracting(ServerAddress::host)
        .containsExactlyInAnyOrder("host-3", "host-4");
    assertThat(catchThrowableOfType(SluiceException.class, () -> create(1, 4, 3)).code())
        .isEqualTo(ErrorCode.NO_SERVERS);
  }

  @Test
  void aTagThatNoServerHasIsRefusedAtOnceWithWhatThereIs() {
    standing(1, "", "", "nvme");
    standing(2, "", "", "large");
    register(tags("nvmee"));

    assertThat(refusal().code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    assertThat(refusal().detail())
        .contains("[nvmee]", "none of the 2 servers", "[large, nvme]", "did you mean 'nvme'?");
  }

  @Test
  void onlyServersThatOfferGrpcGetAnythingOfWhoSpeaksNothingElse() {
    withoutGrpc(1, "nvme");
    standing(2, "", "", "nvme");
    standing(3, "", "");
    register(PlacementWishes.NONE.withGrpc(true));
    assertThat(store.applications().values())
        .singleElement()
        .matches(record -> record.wishes().grpc());

    assertThat(create(0, 100, 1).servers())
        .extracting(ServerAddress::host)
        .containsExactlyInAnyOrder("host-2", "host-3");
    SluiceException few = catchThrowableOfType(SluiceException.class, () -> create(1, 4, 3));
    assertThat(few.code()).isEqualTo(ErrorCode.NO_SERVERS);
    assertThat(few.detail()).contains("2 can take data", "without gRPC 1");

    register(tags("nvme").withGrpc(true));
    assertThat(create(2, 100, 1).servers())
        .extracting(ServerAddress::host)
        .containsExactly("host-2");
    register(tags("nvme"));
    assertThat(create(3, 100, 1).servers())
        .extracting(ServerAddress::host)
        .containsExactlyInAnyOrder("host-1", "host-2");
  }

  @Test
  void thatNoServerOffersGrpcIsSaidAtOnce() {
    withoutGrpc(1, "nvme");
    withoutGrpc(2);
    register(tags("nvme").withGrpc(true));

    assertThat(refusal().code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION);
    assertThat(refusal().detail())
        .contains(
            "transport is grpc", "none of the 2 servers with tags [nvme]", "server.grpc.port");

    standing(3, "", "");
    assertThat(refusal().detail()).as("which lacks the tag").contains("none of the 3 servers");
    standing(4, "", "", "nvme");
    assertThat(create(0, 4, 1).servers()).extracting(ServerAddress::host).containsExactly("host-4");
  }

  private void withoutGrpc(long number, String... tags) {
    open(new RecordingChannel(), Servers.withoutGrpc(number, tags), FREE, Intent.SERVE);
  }

  @Test
  void aTagWhoseServersAreFullOrAwayIsWaitedFor() {
    open(new RecordingChannel(), Servers.standing(1, "", "", "nvme"), 0, Intent.SERVE);
    standing(2, "", "");
    register(tags("nvme"));

    assertThat(refusal().code()).isEqualTo(ErrorCode.NO_SERVERS);
    assertThat(refusal().detail()).contains("without the tags [nvme] 1");
  }

  @Test
  void aNewLeaderDoesNotRefuseATagBeforeItHasMetAllServers() {
    standing(1, "", "");
    standing(2, "", "");
    standing(3, "", "", "nvme");
    Cluster next =
        cluster(
            new Term(
                5,
                List.of(wishing(tags("nvme"))),
                List.copyOf(store.servers().values()),
                Set.of()));
    for (long number = 1; number <= 2; number++) {
      next.openSession(
          Servers.standing(number, "", ""), Servers.report(FREE), new RecordingChannel());
    }

    assertThat(codeOf(() -> next.createShuffle(SHUFFLE, 4, 1, Set.of())))
        .isEqualTo(ErrorCode.COORDINATOR_UNAVAILABLE);
    next.openSession(
        Servers.standing(3, "", "", "nvme"), Servers.report(FREE), new RecordingChannel());
    assertThat(next.createShuffle(SHUFFLE, 4, 1, Set.of()).servers())
        .extracting(ServerAddress::host)
        .containsExactly("host-3");
  }

  @Test
  void replicasAreInDifferentZonesAndSoItSays() {
    standing(1, "a", "1");
    standing(2, "a", "2");
    standing(3, "b", "1");
    standing(4, "b", "2");
    register(PlacementWishes.NONE);

    assertThat(create(0, 50, 2).apart()).isEqualTo(Apart.ZONE);
    // Of three copies two share a zone: racks are what is left.
    assertThat(create(1, 50, 3).apart()).isEqualTo(Apart.RACK);
    assertThat(counts.together).isEmpty();
    assertThat(events()).noneMatch(text -> text.contains("share"));
  }

  @Test
  void thatReplicasShareAHostIsSaidOnceAndCountedEachTime() {
    for (long number = 1; number <= 2; number++) {
      var address = Servers.address(number, 1);
      open(
          new RecordingChannel(),
          new io.sluice.coordinator.membership.ServerHello(
              new ServerAddress(address.id(), 1, "one-host", 9000 + (int) number),
              "test",
              List.of(),
              "",
              false),
          FREE,
          Intent.SERVE);
    }
    register(PlacementWishes.NONE);

    assertThat(create(0, 5, 2).apart()).isEqualTo(Apart.SERVER);
    assertThat(create(1, 5, 2).apart()).isEqualTo(Apart.SERVER);
    assertThat(counts.together).containsExactly(Apart.SERVER, Apart.SERVER);
    assertThat(events().stream().filter(text -> text.contains("share a host"))).hasSize(1);
  }

  @Test
  void anApplicationChoosesHowItIsPlaced() {
    for (long number = 1; number <= 30; number++) {
      standing(number, "zone-" + number % 3, "");
    }
    register(new PlacementWishes(Optional.of(PlacementStyle.PACKED), Set.of(), ""));
    assertThat(create(0, 100, 1).servers()).hasSize(2);

    register(new PlacementWishes(Optional.of(PlacementStyle.ZONE_LOCAL), Set.of(), "zone-1"));
    assertThat(create(1, 100, 1).servers()).hasSize(10);
    assertThat(store.applications().values().iterator().next().wishes().zone()).isEqualTo("zone-1");
    // Placed once, a shuffle stays: for stages that are tried again.
    register(PlacementWishes.NONE);
    assertThat(create(0, 100, 1).servers()).hasSize(2);
    assertThat(create(2, 100, 1).servers()).hasSize(30);
  }

  @Test
  void thatAZoneIsTooSmallForAnApplicationIsSaid() {
    standing(1, "a", "");
    standing(2, "b", "");
    standing(3, "b", "");
    register(new PlacementWishes(Optional.of(PlacementStyle.ZONE_LOCAL), Set.of(), "a"));

    assertThat(create(0, 10, 2).servers())
        .extracting(ServerAddress::host)
        .containsExactlyInAnyOrder("host-2", "host-3");
    assertThat(events()).anyMatch(text -> text.contains("zone 'a' has too few servers"));
  }

  @Test
  void whatIsOddIsSaidOnceToEachOfThoseWhoWantDifferentThings() {
    standing(1, "a", "");
    standing(2, "b", "");
    for (int round = 0; round < 3; round++) {
      for (String zone : List.of("a", "b")) {
        register(new PlacementWishes(Optional.of(PlacementStyle.ZONE_LOCAL), Set.of(), zone));
        create(2 * round + (zone.equals("a") ? 0 : 1), 10, 2);
      }
    }
    assertThat(events().stream().filter(text -> text.contains("has too few servers")))
        .containsExactly(
            "zone 'a' has too few servers for it, so it is not kept there",
            "zone 'b' has too few servers for it, so it is not kept there");

    // What has been said is forgotten with its cause.
    standing(3, "a", "");
    register(new PlacementWishes(Optional.of(PlacementStyle.ZONE_LOCAL), Set.of(), "a"));
    create(10, 10, 2);
    create(11, 10, 3);
    create(12, 10, 3);
    assertThat(events().stream().filter(text -> text.contains("zone 'a' has too few"))).hasSize(2);
  }
}
