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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComebackTest {
  private static final ServerId ID = ServerId.of(7, 1);
  private static final Duration DEADLINE = Duration.ofSeconds(30);

  private final SluiceException failure =
      new SluiceException(ErrorCode.CONNECT_FAILED, "says the test");
  private final FakeLoop loop = new FakeLoop();
  private final Reconnect reconnect = new Reconnect(DEADLINE, DEADLINE);
  private final Destination destination = new Destination(life(1));
  private final CompletableFuture<Whereabouts> answer = new CompletableFuture<>();
  private int questions;
  private int tries;
  private int givenUp;

  private final Comeback comeback =
      new Comeback(
          reconnect,
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
                  questions++;
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
  @CsvSource({"-1, CONNECTION_LOST", "2000000000, ATTEMPT_FAILED"})
  void aLossOfOneLifeIsNoWordAboutTheNext(long delay, Setback setback) {
    comeback.after(setback, failure, delay);
    destination.seen(life(2));
    answer.complete(Whereabouts.of(Prospect.LOST));
    loop.runFor(Duration.ofSeconds(1).toNanos());
    assertThat(givenUp).isZero();
    assertThat(tries).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"-1, CONNECTION_LOST", "2000000000, ATTEMPT_FAILED"})
  void aLossOfTheLifeThatIsMeantIsFinal(long delay, Setback setback) {
    comeback.after(setback, failure, delay);
    answer.complete(Whereabouts.of(Prospect.LOST));
    loop.runFor(Duration.ofSeconds(5).toNanos());
    assertThat(givenUp).isEqualTo(1);
    assertThat(tries).isZero();
  }

  @Test
  void attemptsGoOnBesideAQuestionThatIsOpen() {
    for (int failures = 1; failures <= 3; failures++) {
      comeback.after(Setback.ATTEMPT_FAILED, failure, -1);
      loop.runFor(Reconnect.LONGEST_DELAY_NANOS);
      assertThat(tries).isEqualTo(failures);
    }
    comeback.after(Setback.ATTEMPT_FAILED, failure, -1);
    answer.complete(Whereabouts.UNKNOWN);
    loop.runFor(Duration.ofMinutes(1).toNanos());

    assertThat(questions).isEqualTo(1);
    assertThat(givenUp).isEqualTo(1);
    assertThat(tries).isEqualTo(3);
  }

  @Test
  void triesAServerThatHasSaidThatItStopsBesideTheQuestion() {
    reconnect.leaving();
    comeback.after(Setback.CONNECTION_LOST, failure, 0);
    loop.runFor(Reconnect.LOOK_UP_NANOS);
    assertThat(questions).isEqualTo(1);
    assertThat(tries).isEqualTo(1);
  }

  @Test
  void heedsWhatIsSaidDuringAnAttemptOnceThatHasFailed() {
    comeback.after(Setback.ATTEMPT_FAILED, failure, -1);
    loop.runFor(Reconnect.LONGEST_DELAY_NANOS);
    answer.complete(Whereabouts.of(Prospect.LOST));
    loop.runFor(Duration.ofSeconds(10).toNanos());
    assertThat(givenUp).isZero();

    comeback.after(Setback.ATTEMPT_FAILED, failure, -1);
    assertThat(givenUp).isEqualTo(1);
  }

  @Test
  void whatIsSaidWhileNothingIsWantedIsNoAnswerToALaterQuestion() {
    comeback.after(Setback.ATTEMPT_FAILED, failure, -1);
    loop.runFor(Reconnect.LONGEST_DELAY_NANOS);
    comeback.reset();
    answer.complete(Whereabouts.of(Prospect.LOST));
    loop.runFor(Duration.ofSeconds(10).toNanos());

    comeback.after(Setback.ATTEMPT_FAILED, failure, -1);

    assertThat(givenUp).isZero();
    assertThat(questions).isEqualTo(2);
  }

  @Test
  void aConnectionThatStandsOutdatesWhatWasSaidBefore() {
    comeback.after(Setback.ATTEMPT_FAILED, failure, -1);
    loop.runFor(Reconnect.LONGEST_DELAY_NANOS);
    answer.complete(Whereabouts.of(Prospect.LOST));
    loop.runFor(Duration.ofSeconds(10).toNanos());

    comeback.after(Setback.CONNECTION_LOST, failure, 0);
    loop.runFor(1);
    assertThat(givenUp).isZero();
    assertThat(tries).isEqualTo(2);
  }

  @Test
  void goesWhereTheServerIsSaidToBeDuringAnAttempt() {
    comeback.after(Setback.ATTEMPT_FAILED, failure, -1);
    loop.runFor(Reconnect.LONGEST_DELAY_NANOS);
    destination.next();
    answer.complete(Whereabouts.of(Prospect.UNKNOWN, new PlacedServer(ID, 1, "elsewhere", 4000)));
    loop.runFor(1);

    comeback.after(Setback.ATTEMPT_FAILED, failure, -1);
    loop.runFor(1);
    assertThat(tries).isEqualTo(2);
    assertThat(destination.next().host()).isEqualTo("elsewhere");
    assertThat(givenUp).isZero();
  }
}
