package io.sluice.client.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class PlacementsTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);

  private final List<CompletableFuture<ShufflePlacement>> requests = new ArrayList<>();
  private boolean hearsOfServers = true;
  private final Placements placements =
      Placements.from(
          new PlacementSource() {
            @Override
            public CompletionStage<ShufflePlacement> atLeast(
                ShuffleKey shuffle, int epochs, List<Complaint> complaints) {
              CompletableFuture<ShufflePlacement> request = new CompletableFuture<>();
              requests.add(request);
              return request;
            }

            @Override
            public boolean hearsOfServers() {
              return hearsOfServers;
            }
          });

  @Test
  void sharesTheRequestThatIsUnderWay() {
    FixedPlacement old = placement(1, 1);
    CompletionStage<ShufflePlacement> one = placements.atLeast(old, 2, List.of());
    CompletionStage<ShufflePlacement> other = placements.atLeast(old, 2, List.of());
    assertThat(requests).hasSize(1);
    FixedPlacement now = placement(1, 2);
    requests.get(0).complete(now);
    assertThat(one).isCompletedWithValue(now);
    assertThat(other).isCompletedWithValue(now);
    assertThat(placements.newest(old)).isSameAs(now);
    assertThat(placements.atLeast(old, 2, List.of())).isCompletedWithValue(now);
    assertThat(requests).as("known by then").hasSize(1);
  }

  @Test
  void asksAgainForWhomTheAnswerIsTooOld() {
    FixedPlacement old = placement(1, 1);
    placements.atLeast(old, 2, List.of());
    CompletionStage<ShufflePlacement> wanting = placements.atLeast(old, 3, List.of());
    requests.get(0).complete(placement(1, 2));
    assertThat(requests).hasSize(2);
    FixedPlacement now = placement(1, 3);
    requests.get(1).complete(now);
    assertThat(wanting).isCompletedWithValue(now);
  }

  @Test
  void keepsShufflesApart() {
    placements.atLeast(placement(1, 1), 2, List.of());
    placements.atLeast(placement(2, 1), 2, List.of());
    assertThat(requests).hasSize(2);
  }

  @Test
  void failsAllWhoShareARequestAndAsksAnewAfterwards() {
    FixedPlacement old = placement(1, 1);
    CompletionStage<ShufflePlacement> one = placements.atLeast(old, 2, List.of());
    CompletionStage<ShufflePlacement> other = placements.atLeast(old, 2, List.of());
    requests.get(0).completeExceptionally(new SluiceException(ErrorCode.NO_SERVERS, "none"));
    assertThat(one.toCompletableFuture()).isCompletedExceptionally();
    assertThat(other.toCompletableFuture()).isCompletedExceptionally();
    placements.atLeast(old, 2, List.of());
    assertThat(requests).hasSize(2);
  }

  @Test
  void whoComplainsOfSomethingElseAsksForItselfAfterARefusal() {
    FixedPlacement old = placement(1, 1);
    PlacedServer server = old.servers().get(0);
    Complaint full = Complaint.ofPartitions(server, ErrorCode.PARTITION_FULL, new int[] {1});
    Complaint dead = Complaint.ofServer(server, ErrorCode.CONNECT_FAILED);
    CompletionStage<ShufflePlacement> one = placements.atLeast(old, 2, List.of(full));
    CompletionStage<ShufflePlacement> other = placements.atLeast(old, 2, List.of(dead));
    CompletionStage<ShufflePlacement> third = placements.atLeast(old, 2, List.of(dead));
    assertThat(requests).hasSize(1);

    requests.get(0).completeExceptionally(new SluiceException(ErrorCode.NO_SERVERS, "none"));
    assertThat(one.toCompletableFuture()).isCompletedExceptionally();
    assertThat(requests).as("nobody waits for a second one in turn").hasSize(3);
    FixedPlacement now = placement(1, 2);
    requests.get(1).complete(now);
    requests.get(2).completeExceptionally(new SluiceException(ErrorCode.NO_SERVERS, "none"));
    assertThat(other.toCompletableFuture().isCompletedExceptionally())
        .isNotEqualTo(third.toCompletableFuture().isCompletedExceptionally());
    assertThat(placements.newest(old)).isSameAs(now);
  }

  @Test
  void takesNoAnswerThatIsOlderThanWhatWasAskedFor() {
    FixedPlacement old = placement(1, 1);
    CompletionStage<ShufflePlacement> asked = placements.atLeast(old, 2, List.of());
    requests.get(0).complete(old);
    assertThat(asked.toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void looksOnceAtATimeForWhatNobodyComplainsOf() {
    FixedPlacement old = placement(1, 1);
    placements.look(old);
    placements.look(old);
    assertThat(requests).hasSize(1);
    assertThat(placements.newest(old)).isSameAs(old);
    FixedPlacement now = placement(1, 2);
    requests.get(0).complete(now);
    assertThat(placements.newest(old)).isSameAs(now);

    placements.look(old);
    assertThat(requests).hasSize(2);
    requests.get(1).completeExceptionally(new SluiceException(ErrorCode.NO_SERVERS, "none"));
    assertThat(placements.newest(old)).isSameAs(now);
    placements.look(old);
    assertThat(requests).as("a refusal ends a look too").hasSize(3);
  }

  @Test
  void looksNotBesideAQuestion() {
    FixedPlacement old = placement(1, 1);
    placements.atLeast(old, 2, List.of());
    placements.look(old);
    assertThat(requests).hasSize(1);
  }

  /** A look may be refused, where there was no such epoch yet. */
  @Test
  void whoNeedsAnEpochAsksOnceMoreAfterALookInVain() {
    FixedPlacement old = placement(1, 1);
    placements.look(old);
    CompletionStage<ShufflePlacement> needed = placements.atLeast(old, 2, List.of());
    CompletionStage<ShufflePlacement> too = placements.atLeast(old, 2, List.of());
    assertThat(requests).as("answers do not overtake each other").hasSize(1);
    requests.get(0).completeExceptionally(new SluiceException(ErrorCode.NO_SERVERS, "none"));
    assertThat(requests).as("shared as ever").hasSize(2);
    FixedPlacement now = placement(1, 2);
    requests.get(1).complete(now);
    assertThat(needed).isCompletedWithValue(now);
    assertThat(too).isCompletedWithValue(now);
  }

  @Test
  void whatALookFindsIsEverybodysAnswer() {
    FixedPlacement old = placement(1, 1);
    placements.look(old);
    CompletionStage<ShufflePlacement> needed = placements.atLeast(old, 2, List.of());
    FixedPlacement now = placement(1, 2);
    requests.get(0).complete(now);
    assertThat(needed).isCompletedWithValue(now);
    assertThat(requests).hasSize(1);
  }

  @Test
  void doesNotLookWhereNobodyHearsOfServers() {
    hearsOfServers = false;
    placements.look(placement(1, 1));
    Placements.fixed().look(placement(1, 1));
    assertThat(requests).isEmpty();
  }

  @Test
  void learnsFromWhatCallersHave() {
    placements.newest(placement(1, 3));
    assertThat(placements.newest(placement(1, 1)).epochs()).isEqualTo(3);
  }

  @Test
  void forgetsAShuffleAndWhatWasUsedLongAgo() {
    FixedPlacement newer = placement(1, 3);
    placements.newest(newer);
    placements.forget(APPLICATION, 1);
    assertThat(placements.newest(placement(1, 1)).epochs()).isEqualTo(1);

    placements.newest(newer);
    for (int shuffle = 2; shuffle < 2000; shuffle++) {
      placements.newest(placement(shuffle, 1));
    }
    assertThat(placements.newest(placement(1, 1)).epochs()).isEqualTo(1);
  }

  @Test
  void neverChangesWithoutASource() {
    Placements fixed = Placements.fixed();
    FixedPlacement placement = placement(1, 1);
    assertThat(fixed.canChange()).isFalse();
    assertThat(fixed.newest(placement)).isSameAs(placement);
    assertThat(fixed.atLeast(placement, 2, List.of()).toCompletableFuture())
        .isCompletedExceptionally();
  }

  private static FixedPlacement placement(int shuffle, int epochs) {
    List<PlacedServer> servers = List.of(new PlacedServer(ServerId.of(9, 1), 1, "host", 7000));
    FixedPlacement placement =
        FixedPlacement.of(new ShuffleKey(APPLICATION, shuffle, 0), 2, servers, 1, new int[2]);
    while (placement.epochs() < epochs) {
      placement = placement.withEpoch(servers, 1, new int[2]);
    }
    return placement;
  }
}
