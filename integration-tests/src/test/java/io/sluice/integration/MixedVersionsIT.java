package io.sluice.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.MapOutput;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.control.CoordinatorClient;
import io.sluice.client.control.CoordinatorClientConfig;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.client.control.Registration;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.placement.PlacementWishes;
import io.sluice.integration.quorum.Asker;
import io.sluice.integration.quorum.MixedQuorum;
import io.sluice.integration.quorum.Until;
import io.sluice.proto.control.v1.GetClusterResponse;
import io.sluice.proto.control.v1.ServerState;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Coordinators restarted one after the other, as processes, from the version before to this one and
 * back, under a server and a driver of this one: at each step another pair leads and follows.
 */
@MostlyWaits
class MixedVersionsIT {
  private static @Nullable Runs shared;

  @RegisterExtension final KeepOnFailure keep = new KeepOnFailure(() -> shared);

  private enum Version {
    BEFORE,
    THIS
  }

  @BeforeAll
  static void start() throws Exception {
    shared = new Runs("versions");
  }

  @AfterAll
  static void stop() {
    if (shared != null) {
      shared.close();
    }
  }

  @Test
  void coordinatorsAreUpgradedOneAfterTheOtherAndBack() throws Exception {
    Runs runs = Objects.requireNonNull(shared);
    try (MixedQuorum quorum = runs.mixedQuorum();
        CoordinatorClient operator =
            CoordinatorClient.open(
                CoordinatorClientConfig.of(
                    Arrays.stream(quorum.addresses().split(",")).map(HostPort::parse).toList()));
        RegisteredApplication tagged =
            operator.registerApplication(
                new Registration(new ApplicationId(UUID.randomUUID()), "tagged", "ada", "test", "0")
                    .withWishes(new PlacementWishes(Optional.empty(), List.of("nvme"), "")));
        TestShuffle shuffle = new TestShuffle(quorum.addresses())) {
      ShufflePlacement placement = shuffle.place();
      Set<Version> led = EnumSet.noneOf(Version.class);
      int pushes = 0;
      try (MapOutput output = shuffle.output(placement)) {
        TestShuffle.push(output, pushes++);
        led.add(assertWorks(quorum, operator, shuffle, tagged, 100, false));
        for (Version next : new Version[] {Version.THIS, Version.BEFORE}) {
          for (int number = 1; number <= 2; number++) {
            quorum.restart(number, next == Version.BEFORE);
            TestShuffle.push(output, pushes);
            boolean toldOfTags = led.contains(Version.THIS);
            led.add(assertWorks(quorum, operator, shuffle, tagged, 100 * (pushes + 1), toldOfTags));
            pushes++;
          }
        }
        output.finish();
      }
      shuffle.assertHas(placement, pushes);
      assertThat(led).as("versions of those who led").containsExactlyInAnyOrder(Version.values());
      assertThat(quorum.forgotten()).as("fields that the version before has not").isPositive();
    }
  }

  /**
   * A shuffle is placed, written and read, and the server is where it was. One that asks for tags
   * that no server has is refused by either version, or rather: not placed by the one that has not
   * heard of tags.
   *
   * @param toldOfTags whether a leader of this version may have kept the tags with the application:
   *     what stands in for one of the version before reads them there, as that would not
   */
  private static Version assertWorks(
      MixedQuorum quorum,
      CoordinatorClient operator,
      TestShuffle shuffle,
      RegisteredApplication tagged,
      int firstShuffle,
      boolean toldOfTags)
      throws Exception {
    ShufflePlacement next = shuffle.place();
    try (MapOutput output = shuffle.output(next)) {
      TestShuffle.push(output, 0);
      output.finish();
    }
    shuffle.assertHas(next, 1);
    Until.holds(
        "the server is known",
        () ->
            operator.getCluster().getServersList().stream()
                .anyMatch(server -> server.getState() == ServerState.ACTIVE));
    GetClusterResponse cluster = operator.getCluster();
    assertThat(cluster.getServersList())
        .singleElement()
        .satisfies(
            server -> assertThat(server.getAddress().getIncarnation()).as("lives").isEqualTo(1));
    HostPort leader = HostPort.parse(cluster.getLeader());
    boolean older = quorum.isOlder(leader);
    try (Asker asker = new Asker(leader, shuffle.application(), firstShuffle)) {
      Asker.Answer answer = asker.ask().get(30, TimeUnit.SECONDS);
      assertThat(answer.placed()).isTrue();
      // Which an older one does not say.
      assertThat(answer.term()).isEqualTo(older ? 0 : cluster.getTerm());
    }
    assertThatThrownBy(
            () ->
                tagged.createShuffle(new ShuffleKey(tagged.id(), firstShuffle, 0), 4, 0, List.of()))
        .asInstanceOf(InstanceOfAssertFactories.type(SluiceException.class))
        .extracting(SluiceException::code)
        .isIn(refusals(older, toldOfTags));
    return older ? Version.BEFORE : Version.THIS;
  }

  private static Set<ErrorCode> refusals(boolean older, boolean toldOfTags) {
    if (!older) {
      return EnumSet.of(ErrorCode.INVALID_CONFIGURATION);
    }
    return toldOfTags
        ? EnumSet.of(ErrorCode.UNSUPPORTED_VERSION, ErrorCode.INVALID_CONFIGURATION)
        : EnumSet.of(ErrorCode.UNSUPPORTED_VERSION);
  }
}
