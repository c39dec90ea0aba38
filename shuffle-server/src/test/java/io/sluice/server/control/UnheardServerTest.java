package io.sluice.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import org.junit.jupiter.api.Test;

/** A server that no coordinator hears finds out itself. */
class UnheardServerTest extends ControlSessionFixture {
  @Test
  void isSaidWhenSixReportsAreMissingAndEachTimeTheSilenceHasDoubled() {
    start();
    deliver(welcome(1000));
    world.advance(10 * SECOND);
    assertThat(unheard).isEmpty();
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(90 * SECOND);
    assertThat(unheard).containsExactly("16 s: 1", "22 s: 2", "34 s: 3", "58 s: 4");

    deliver(welcome(1000));
    world.advance(90 * SECOND);
    assertThat(unheard).endsWith("58 s: 4", "100 s: 0").hasSize(5);
  }

  @Test
  void goesByTheIntervalThatTheLeaderGave() {
    start();
    deliver(welcome(200));
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(2 * SECOND);
    assertThat(unheard).containsExactly("1 s: 1");
  }

  @Test
  void isSaidOfAServerThatNoCoordinatorEverTook() {
    start();
    world.advance(7 * SECOND);
    assertThat(unheard).containsExactly("6 s: 1");
  }

  @Test
  void isNotSaidWhenAnotherCoordinatorTakesTheServerInTime() {
    start();
    deliver(welcome(1000));
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(5 * SECOND);
    deliver(welcome(1000));
    session.introduce();
    world.advance(5 * SECOND);
    deliver(welcome(1000));
    world.advance(20 * SECOND);
    assertThat(unheard).isEmpty();
  }

  @Test
  void isSaidOfOneThatNobodyWelcomesAnew() {
    start();
    deliver(welcome(1000));
    session.introduce();
    world.advance(7 * SECOND);
    assertThat(unheard).containsExactly("6 s: 1");
  }

  @Test
  void isNotSaidOnceTheSessionIsOver() {
    start();
    deliver(welcome(1000));
    fail(Status.UNAVAILABLE.asRuntimeException());
    session.close();
    world.advance(20 * SECOND);
    assertThat(unheard).isEmpty();
  }
}
