package io.sluice.server.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.sluice.proto.control.v1.Leader;
import io.sluice.proto.control.v1.ServerDirective;
import io.sluice.proto.control.v1.Uuid;
import org.junit.jupiter.api.Test;

/** A session with whoever leads another cluster. */
class ForeignLeaderTest extends ControlSessionFixture {
  private static ServerDirective of(ServerDirective directive, long cluster, long term) {
    return directive.toBuilder()
        .setLeader(Leader.newBuilder().setCluster(Uuid.newBuilder().setLow(cluster)).setTerm(term))
        .build();
  }

  @Test
  void goesOnToTheNextCoordinatorIfOneLeadsAnotherCluster() {
    start();
    deliver(of(welcome(1000), 7, 5));
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    FakeStream other = latest();
    assertThat(other.to).isEqualTo(B);
    deliver(of(welcome(1000), 8, 1));
    assertThat(other.cancelled).isTrue();
    assertThat(session.admitted()).isFalse();
    assertThat(session.problem()).get().asString().contains("b:2").contains("term 5");

    other.listener.directive(drain(true));
    world.advance(SECOND);
    assertThat(done).isEmpty();
    assertThat(latest().to).isEqualTo(A);
    deliver(of(welcome(1000), 7, 6));
    assertThat(session.admitted()).isTrue();
    assertThat(session.problem()).isEmpty();
  }

  @Test
  void isNotFencedByAnotherCluster() {
    start();
    deliver(of(welcome(1000), 7, 5));
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    ServerDirective fence = ServerDirective.newBuilder().setFenceIncarnation(3).build();
    deliver(of(fence, 8, 9));
    assertThat(done).isEmpty();

    world.advance(SECOND);
    deliver(of(fence, 7, 6));
    assertThat(done).containsExactly("fence 3");
  }

  @Test
  void countsTheTimeSinceTheLastSessionEndedNotSinceItBegan() {
    start();
    deliver(of(welcome(1000), 7, 5));
    world.advance(600 * SECOND);
    session.introduce();
    world.settle();
    fail(Status.UNAVAILABLE.asRuntimeException());
    world.advance(SECOND);
    deliver(of(welcome(1000), 8, 1));
    assertThat(session.admitted()).isFalse();
    deliverUntilAdmitted(8);
    assertThat(world.nanoTime()).isBetween(900 * SECOND, 915 * SECOND);
  }

  /** Whoever is asked leads this cluster. */
  private void deliverUntilAdmitted(long cluster) {
    long deadline = world.nanoTime() + 400 * SECOND;
    while (!session.admitted() && world.nanoTime() < deadline) {
      world.advance(SECOND / 10);
      if (!latest().cancelled) {
        deliver(of(welcome(1000), cluster, 1));
      }
    }
    assertThat(session.admitted()).isTrue();
  }
}
