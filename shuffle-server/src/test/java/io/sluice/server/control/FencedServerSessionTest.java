package io.sluice.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.sluice.proto.control.v1.ServerDirective;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a server says whose life counts as lost, while its disks take a new one. */
class FencedServerSessionTest extends ControlSessionFixture {
  private static final ServerDirective FENCE =
      ServerDirective.newBuilder().setFenceIncarnation(1).build();

  @BeforeEach
  void isFenced() {
    start();
    deliver(welcome(1000));
    deliver(FENCE);
  }

  private void rise() {
    incarnation = 2;
    risen.complete(true);
    world.settle();
  }

  private long said() {
    return latest().sent.get(0).getHello().getAddress().getIncarnation();
  }

  @Test
  void goesOnReportingMeanwhile() {
    int before = latest().sent.size();
    world.advance(3 * SECOND);
    assertThat(latest().sent).hasSize(before + 3);
  }

  @Test
  void comesAgainAtOnceWhenItHasOne() {
    rise();
    assertThat(streams).hasSize(2);
    assertThat(latest().to).isEqualTo(A);
    assertThat(said()).isEqualTo(2);
    assertThat(streams.get(0).cancelled).isTrue();
    deliver(welcome(1000));
    assertThat(session.admitted()).isTrue();
  }

  /** It need not know that the old life is lost. */
  @Test
  void tellsWhomeverItHasToldOfTheOldOneMeanwhile() {
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    assertThat(said()).isEqualTo(1);
    deliver(welcome(1000));

    rise();
    assertThat(streams).hasSize(3);
    assertThat(latest().to).isEqualTo(B);
    assertThat(said()).isEqualTo(2);
  }

  @Test
  void saysItOnce() {
    incarnation = 2;
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    assertThat(said()).isEqualTo(2);

    rise();
    assertThat(streams).hasSize(2);
  }

  @Test
  void staysWhereItIsIfNoDiskTakesIt() {
    risen.complete(false);
    world.settle();
    assertThat(streams).hasSize(1);
  }

  @Test
  void doesNotComeAgainWithItsLastWords() {
    session.stoppingWithLoss();
    session.finish();
    world.settle();
    rise();
    assertThat(streams).hasSize(1);
  }
}
