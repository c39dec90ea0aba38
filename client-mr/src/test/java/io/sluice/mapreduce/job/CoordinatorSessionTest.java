package io.sluice.mapreduce.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.control.Registration;
import io.sluice.client.epoch.ServerBook;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A task that has ended connects to nobody, whoever of its threads is late. */
class CoordinatorSessionTest {
  private static final ApplicationId JOB = ApplicationId.of(1, 2);

  private final AtomicInteger connected = new AtomicInteger();
  private final CoordinatorSession session =
      new CoordinatorSession(
          () -> {
            connected.incrementAndGet();
            throw new SluiceException(ErrorCode.COORDINATOR_UNAVAILABLE, "nobody is there");
          },
          new Registration(JOB, "job_1", "ada", "mapreduce", "test"),
          new ServerNews(new ServerBook(Clock.system()), Clock.system(), ServerNews.SETTLE),
          Duration.ofSeconds(1));

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void connectsWhenACoordinatorIsNeeded() {
    assertThat(connected).hasValue(0);
    assertRefused(ErrorCode.COORDINATOR_UNAVAILABLE, session::renew);
    assertThat(connected).hasValue(1);
    session.close();
  }

  /** Asked while a failure is reported, which is not to be lost. */
  @Test
  void whoCannotBeAskedKnowsOfNoEnd() {
    assertThat(session.endedBecause()).isEmpty();
    session.close();
    assertThat(session.endedBecause()).isEmpty();
    assertThat(connected).hasValue(1);
  }

  @Test
  void isAskedInVainOnceClosed() {
    session.close();
    session.close();

    assertRefused(ErrorCode.SHUTTING_DOWN, session::renew);
    assertRefused(ErrorCode.SHUTTING_DOWN, session::end);
    assertRefused(ErrorCode.SHUTTING_DOWN, session::servers);
    assertRefused(ErrorCode.SHUTTING_DOWN, () -> session.place(new ShuffleKey(JOB, 0, 0), 1, 1));
    assertThat(connected).hasValue(0);
  }
}
