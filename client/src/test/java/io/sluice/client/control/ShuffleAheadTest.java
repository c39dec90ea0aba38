package io.sluice.client.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.FixedPlacement;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.proto.control.v1.CreateShuffleRequest;
import io.sluice.proto.control.v1.RemoveShuffleRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shuffles that are placed before they are asked for, over loopback. */
@Timeout(60)
class ShuffleAheadTest {
  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);
  private static final ShuffleKey SHUFFLE = new ShuffleKey(APPLICATION, 5, 3);
  private static final Duration LONG = Duration.ofSeconds(50);

  private final FakeCoordinator leader = new FakeCoordinator();
  private final CoordinatorClient client =
      CoordinatorClient.open(
          new CoordinatorClientConfig(List.of(leader.address()), LONG, Duration.ofSeconds(5)));
  private final RegisteredApplication application =
      client.registerApplication(new Registration(APPLICATION, "app-1", "ada", "spark", "0.1"));

  @AfterEach
  void close() {
    client.close();
    leader.close();
  }

  private ShuffleAhead begin(Duration keep) {
    return application.createAhead(SHUFFLE, 10, 0, keep);
  }

  private <T> T next(Class<T> type) throws InterruptedException {
    while (true) {
      Object next = leader.calls.poll(20, TimeUnit.SECONDS);
      assertThat(next).as("a " + type.getSimpleName()).isNotNull();
      if (type.isInstance(next)) {
        return type.cast(next);
      }
    }
  }

  @Test
  void isPlacedWithoutAnybodyWhoWaitsAndTakenOnce() throws Exception {
    ShuffleAhead ahead = begin(LONG);
    assertThat(next(CreateShuffleRequest.class).getShuffle().getGeneration()).isEqualTo(3);

    FixedPlacement placement = ahead.take(LONG);

    assertThat(placement).isNotNull();
    assertThat(placement.shuffle()).isEqualTo(SHUFFLE);
    assertThat(placement.partitions()).isEqualTo(10);
    assertThat(ahead.take(LONG)).isNull();
    assertThat(ahead.drop().toCompletableFuture()).isNotDone();
    // The application's own goes first if anything was to be removed.
    application.removeShuffle(new ShuffleKey(APPLICATION, 77, 0));
    assertThat(next(RemoveShuffleRequest.class).getShuffle().getShuffleId()).isEqualTo(77);
  }

  @Test
  void isRemovedOnceItIsPlacedIfNobodyWantsIt() throws Exception {
    leader.keepsPlacing = true;
    ShuffleAhead ahead = begin(LONG);
    next(CreateShuffleRequest.class);
    assertThat(ahead.drop().toCompletableFuture()).isNotDone();
    assertThat(ahead.take(LONG)).isNull();
    application.removeShuffle(new ShuffleKey(APPLICATION, 77, 0));
    assertThat(next(RemoveShuffleRequest.class).getShuffle().getShuffleId()).isEqualTo(77);

    leader.answerPlacing();

    assertThat(next(RemoveShuffleRequest.class).getShuffle().getShuffleId()).isEqualTo(5);
    assertThat(ahead.drop().toCompletableFuture().get(20, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void isRemovedWhenNobodyHasTakenItInTime() throws Exception {
    ShuffleAhead ahead = begin(Duration.ofMillis(100));

    assertThat(next(RemoveShuffleRequest.class).getShuffle().getShuffleId()).isEqualTo(5);
    assertThat(ahead.take(LONG)).isNull();
  }

  @Test
  void oneThatIsRefusedIsNothing() throws Exception {
    leader.refused = CreateShuffleRequest.class;
    leader.refusal = FakeCoordinator.error(ErrorCode.QUOTA_EXCEEDED, "too many");
    ShuffleAhead ahead = begin(LONG);

    assertThat(ahead.take(LONG)).isNull();
    application.removeShuffle(new ShuffleKey(APPLICATION, 77, 0));
    assertThat(next(RemoveShuffleRequest.class).getShuffle().getShuffleId()).isEqualTo(77);
  }

  @Test
  void oneThatTheLeaderFailedToPlaceIsRemovedAsItMayBeThere() throws Exception {
    leader.refused = CreateShuffleRequest.class;
    leader.refusal = FakeCoordinator.error(ErrorCode.INTERNAL_ERROR, "oops");
    begin(Duration.ofMillis(100));

    assertThat(next(RemoveShuffleRequest.class).getShuffle().getShuffleId()).isEqualTo(5);
  }

  @Test
  void isRemovedIfWhoeverTookItGivesItBack() throws Exception {
    ShuffleAhead ahead = begin(LONG);
    assertThat(ahead.take(LONG)).isNotNull();

    assertThat(ahead.giveBack().toCompletableFuture().get(20, TimeUnit.SECONDS)).isTrue();
    assertThat(next(RemoveShuffleRequest.class).getShuffle().getShuffleId()).isEqualTo(5);
  }
}
