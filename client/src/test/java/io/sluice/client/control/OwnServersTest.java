package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.control.ServerStatus.State;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.Uuid;
import io.sluice.proto.control.v1.WatchServersRequest;
import java.util.Collection;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OwnServersTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 1), 3, 0);
  private static final ShuffleKey OTHER = new ShuffleKey(ApplicationId.of(1, 1), 4, 0);

  private final OwnServers own = new OwnServers();

  private static PlacedServer server(long number) {
    return new PlacedServer(ServerId.of(7, number), 3, "host-" + number, 1);
  }

  private static ServerStatus active(long number) {
    return new ServerStatus(server(number), State.ACTIVE, 3, 0, 1);
  }

  private WatchServersRequest begin(Collection<PlacedServer> inUse) {
    WatchServersRequest.Builder request = WatchServersRequest.newBuilder();
    own.begin(inUse, request);
    return request.build();
  }

  private List<Long> named(PlacedServer... inUse) {
    WatchServersRequest request = begin(List.of(inUse));
    assertThat(request.getOwn()).isTrue();
    return request.getServersList().stream().map(Uuid::getLow).toList();
  }

  @Test
  void namesWhatIsInUseAndWhatWasPlacedJustNow() {
    begin(List.of());
    own.placed(SHUFFLE, List.of(server(2)), 5);
    own.placed(OTHER, List.of(server(3)), 0);

    assertThat(named(server(1))).containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(named(server(1), server(2))).containsExactlyInAnyOrder(1L, 2L, 3L);
    own.removed(SHUFFLE);
    assertThat(named(server(1))).as("of a shuffle that is gone").containsExactlyInAnyOrder(1L, 3L);
  }

  @Test
  void whatIsNamedOrWasToldOfAndIsNotThereIsLost() {
    begin(List.of(server(1), server(2)));
    own.heard(5, List.of(active(2), active(3)));

    assertThat(own.whole(List.of(active(2))))
        .extracting(status -> status.server().id().low() + " " + status.state())
        .containsExactlyInAnyOrder("1 LOST", "2 ACTIVE", "3 LOST");
  }

  @Test
  void theLeaderThatPlacesTellsOfTheServersItself() {
    begin(List.of());
    own.heard(5, List.of());

    assertThat(own.placed(SHUFFLE, List.of(server(1)), 5)).isFalse();
  }

  @Test
  void whatAnotherLeaderPlacedNeedsAStreamAnew() {
    begin(List.of(server(1)));
    own.heard(5, List.of(active(2)));
    assertThat(own.placed(SHUFFLE, List.of(server(1), server(2)), 4))
        .as("told of already")
        .isFalse();

    assertThat(own.placed(SHUFFLE, List.of(server(3)), 4)).isTrue();
    assertThat(named(server(1))).containsExactlyInAnyOrder(1L, 2L, 3L);
    assertThat(own.heard(5, List.of(active(1)))).as("named now").isFalse();
  }

  @Test
  void soDoesWhatWasPlacedBeforeTheFirstWordIfAnotherLeads() {
    begin(List.of());
    assertThat(own.placed(SHUFFLE, List.of(server(3)), 4)).as("not known yet").isFalse();
    assertThat(own.heard(5, List.of())).isTrue();

    begin(List.of());
    assertThat(own.placed(SHUFFLE, List.of(server(4)), 5)).isFalse();
    assertThat(own.heard(5, List.of())).as("the same leader").isFalse();
  }

  @Test
  void noneOfSeveralLeadersPlacementsIsForgotten() {
    begin(List.of());
    own.placed(SHUFFLE, List.of(server(3)), 5);
    own.placed(OTHER, List.of(server(4)), 6);
    assertThat(own.heard(6, List.of())).as("5's is not covered").isTrue();

    assertThat(named()).containsExactlyInAnyOrder(3L, 4L);
    assertThat(own.heard(6, List.of())).isFalse();
  }

  @Test
  void aPlacementWithoutTermIsNobodys() {
    begin(List.of());
    assertThat(own.placed(SHUFFLE, List.of(server(3)), 0)).as("not known yet").isFalse();
    assertThat(own.heard(5, List.of(active(3)))).as("told of").isFalse();
    assertThat(own.placed(OTHER, List.of(server(4)), 0)).isTrue();
    assertThat(own.lacksGiven()).isTrue();
    assertThat(own.heard(5, List.of(active(4)))).as("told of meanwhile").isFalse();
    assertThat(own.lacksGiven()).isFalse();

    begin(List.of());
    own.placed(SHUFFLE, List.of(server(5)), 0);
    assertThat(own.heard(5, List.of())).isTrue();
    own.removed(SHUFFLE);
    assertThat(own.heard(5, List.of())).as("its shuffle is gone").isFalse();
  }

  @Test
  void aLeaderThatTellsOfAllNeedsNoName() {
    begin(List.of());
    own.heardOfAll();
    assertThat(own.placed(SHUFFLE, List.of(server(3)), 0)).isFalse();
  }

  @Test
  void whoUsesTooManyHearsOfAll() {
    List<PlacedServer> many =
        LongStream.rangeClosed(1, OwnServers.LIMIT + 1).mapToObj(OwnServersTest::server).toList();

    assertThat(begin(many)).isEqualTo(WatchServersRequest.getDefaultInstance());
    assertThat(begin(many.subList(1, many.size())).getServersCount()).isEqualTo(OwnServers.LIMIT);
  }
}
