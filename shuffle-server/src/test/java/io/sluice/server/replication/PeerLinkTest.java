package io.sluice.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.server.World;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ReplicaMember;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PeerLinkTest {
  private final World world = new World(1);
  private final BatchFixture batches = new BatchFixture();
  private final List<ClientSession> dials = new ArrayList<>();
  private final PeerLink link = new PeerLink(new Nobody(), member(1), new ReplicaStats(), () -> {});

  /** Answers no attempt to connect by itself. */
  private final class Nobody implements PeerConnector {
    @Override
    public Scheduler loop() {
      return world;
    }

    @Override
    public void connect(Scheduler loop, ReplicaMember member, ClientSession session) {
      dials.add(session);
    }
  }

  private static ReplicaMember member(long incarnation) {
    return new ReplicaMember(ServerId.of(7, 1), incarnation, "host", 7410);
  }

  private void send(ReplicaMember to) {
    link.send(batches.empty(), to);
    world.settle();
  }

  private void failTheLast() {
    dials.get(dials.size() - 1).closed(new SluiceException(ErrorCode.TIMED_OUT, "says the test"));
    world.settle();
  }

  @Test
  void aPauseIsNotHeldAgainstTheNextLife() {
    send(member(1));
    failTheLast();
    send(member(1));
    assertThat(dials).as("in the pause").hasSize(1);

    send(member(2));
    assertThat(dials).as("another process").hasSize(2);
  }

  @Test
  void theNextLifeBeginsWithTheShortestPause() {
    for (int i = 0; i < 6; i++) {
      send(member(1));
      failTheLast();
      world.advance(Pause.LONGEST_NANOS);
    }
    send(member(2));
    failTheLast();
    world.advance(Pause.FIRST_NANOS);
    send(member(2));
    assertThat(dials).hasSize(8);
  }
}
