package io.sluice.client.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.fake.FakeLoop;
import io.sluice.client.placement.Complaint;
import io.sluice.client.placement.PlacementSource;
import io.sluice.client.placement.Placements;
import io.sluice.client.placement.Prospect;
import io.sluice.client.placement.Whereabouts;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComebackTest {
  private static final ServerId ID = ServerId.of(7, 1);
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final SluiceException failure =
      new SluiceException(ErrorCode.CONNECT_FAILED, "says the test");
  private final FakeLoop loop = new FakeLoop();
  private final Destination destination = new Destination(life(1));
  private final CompletableFuture<Whereabouts> answer = new CompletableFuture<>();
  private int tries;
  private int givenUp;

  private final Comeback comeback =
      new Comeback(
          new Reconnect(DEADLINE, DEADLINE),
          destination,
          Placements.from(
              new PlacementSource() {
                @Override
                public CompletionStage<ShufflePlacement> atLeast(
                    ShuffleKey shuffle, int epochs, List<Complaint> complaints) {
                  throw new UnsupportedOperationException();
                }

                @Override
                public CompletionStage<Whereabouts> whereabouts(PlacedServer server) {
                  return answer;
                }
              }),
          loop,
          new Comeback.Outcome() {
            @Override
            public void tryAgain() {
              tries++;
            }

            @Override
            public void giveUp(SluiceException cause) {
              givenUp++;
            }
          });

  private static PlacedServer life(long incarnation) {
    return new PlacedServer(ID, incarnation, "here", 4000);
  }

  /** The driver is asked when there is to be no other attempt, and beside the second one. */
  @ParameterizedTest
  @CsvSource({"-1, false", "2000000000, true"})
  void aLossOfOneLifeIsNoWordAboutTheNext(long delay, boolean attempt) {
    comeback.after(failure, delay, false, attempt);
    destination.seen(life(2));
    answer.complete(Whereabouts.of(Prospect.LOST));
    loop.runFor(Duration.ofSeconds(1).toNanos());
    assertThat(givenUp).isZero();
    assertThat(tries).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"-1, false", "2000000000, true"})
  void aLossOfTheLifeThatIsMeantIsFinal(long delay, boolean attempt) {
    comeback.after(failure, delay, false, attempt);
    answer.complete(Whereabouts.of(Prospect.LOST));
    loop.runFor(Duration.ofSeconds(5).toNanos());
    assertThat(givenUp).isEqualTo(1);
    assertThat(tries).isZero();
  }
}
