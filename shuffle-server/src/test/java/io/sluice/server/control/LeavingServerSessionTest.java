package io.sluice.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.Uuid;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What a server says that stops, or is to become empty. */
class LeavingServerSessionTest extends ControlSessionFixture {
  @Test
  void tellsAtOnceThatItStopsAndGoesOnSayingSo() {
    start();
    deliver(welcome(1000));
    session.stopping();
    world.settle();
    assertThat(latest().sent).hasSize(2);
    assertThat(latest().sent.get(1).getStopping()).isTrue();
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    assertThat(latest().sent.get(0).getStopping()).isTrue();
    assertThat(latest().sent.get(0).getDataLost()).isFalse();
  }

  @Test
  void saysWithItsLastReportThatDataIsLost() {
    start();
    deliver(welcome(1000));
    session.stoppingWithLoss();
    world.settle();
    assertThat(latest().sent.get(1).getStopping()).isTrue();
    assertThat(latest().sent.get(1).getDataLost()).isTrue();
  }

  @Test
  void saysThatItStopsHoweverMuchIsUnderWay() {
    start();
    deliver(welcome(1000));
    latest().ready = false;
    session.stoppingWithLoss();
    world.settle();
    assertThat(latest().sent).hasSize(2);
  }

  @Test
  void endsWhenTheLeaderHasTakenItsLastWordsAndAsksNobodyElse() {
    start();
    deliver(welcome(1000));
    session.stoppingWithLoss();
    CompletableFuture<Void> end = session.finish().toCompletableFuture();
    world.settle();
    assertThat(latest().sent).hasSize(2);
    assertThat(latest().finished).isTrue();
    assertThat(latest().cancelled).isFalse();
    assertThat(end).isNotDone();

    fail(Status.UNAVAILABLE.asRuntimeException());
    assertThat(end).isCompleted();
    world.advance(60 * SECOND);
    assertThat(streams).hasSize(1);
  }

  @Test
  void endsAtOnceWhereNobodyListens() {
    start();
    CompletableFuture<Void> end = session.finish().toCompletableFuture();
    world.settle();
    assertThat(end).isCompleted();
  }

  @Test
  void saysThatItDrainsOnceNothingComesInAnyMore() {
    start();
    deliver(welcome(1000));
    deliver(drain(true));
    assertThat(done).containsExactly("drain true");
    assertThat(latest().sent).hasSize(1);

    settled.complete(null);
    world.settle();

    assertThat(latest().sent).hasSize(2);
    assertThat(latest().sent.get(1).getDraining()).isTrue();
  }

  @Test
  void doesNotSayThatItDrainsIfThatWasTakenBackMeanwhile() {
    start();
    deliver(welcome(1000));
    deliver(drain(true));
    deliver(drain(false));
    settled.complete(null);
    world.settle();

    assertThat(done).containsExactly("drain true", "drain false");
    assertThat(latest().sent).hasSize(1);
  }

  @Test
  void saysAtOnceThatItIsEmptyWhenItDrains() {
    partitions = 2;
    start();
    deliver(welcome(1000));
    settled.complete(null);
    deliver(drain(true));
    Uuid application = Uuid.newBuilder().setHigh(1).setLow(2).build();
    ServerDirective removal =
        ServerDirective.newBuilder().setRemoveApplication(application).build();

    deliver(removal);
    assertThat(latest().sent).hasSize(2);
    partitions = 0;
    deliver(removal);

    assertThat(latest().sent).hasSize(3);
    assertThat(latest().sent.get(2).getLoad().getPartitions()).isZero();
  }
}
