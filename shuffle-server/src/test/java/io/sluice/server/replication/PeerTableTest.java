package io.sluice.server.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.time.Scheduler;
import io.sluice.server.World;
import io.sluice.transport.ClientSession;
import io.sluice.transport.ReplicaMember;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PeerTableTest {
  private static final ApplicationId ONE = ApplicationId.of(1, 1);
  private static final ApplicationId OTHER = ApplicationId.of(1, 2);

  private final World world = new World(1);
  private final BatchFixture batches = new BatchFixture();
  private final Silence silence = new Silence();
  private final ReplicaStats stats = new ReplicaStats();
  private final PeerTable table = new PeerTable();

  /** Addresses at which nobody answers, until the test says so. */
  private final class Silence implements PeerConnector {
    private final List<ClientSession> dials = new ArrayList<>();

    @Override
    public Scheduler loop() {
      return world;
    }

    @Override
    public void connect(Scheduler loop, ReplicaMember member, ClientSession session) {
      dials.add(session);
    }
  }

  private static ReplicaMember member(int number) {
    return new ReplicaMember(ServerId.of(7, number), 1, "host-" + number, 7410);
  }

  private PeerLink open(ReplicaMember member) {
    return new PeerLink(silence, member, stats, () -> {});
  }

  /** Makes a link that has something to send. */
  private void occupy(ApplicationId application, int number) {
    PeerLink link =
        Objects.requireNonNull(table.link(member(number), application, this::open), "no place");
    link.send(batches.empty(), member(number));
    world.settle();
  }

  private void occupyAllOfOne() {
    for (int number = 0; number < PeerTable.MAX_OF_ONE; number++) {
      occupy(ONE, number);
    }
  }

  @Test
  void oneApplicationHasNoMoreThanItsPlaces() {
    occupyAllOfOne();
    assertThat(table.link(member(1_000), ONE, this::open)).isNull();
    assertThat(table.link(member(1_000), OTHER, this::open)).isNotNull();
    assertThat(table.link(member(1_000), ONE, this::open)).as("there for all").isNotNull();
    assertThat(table.all()).hasSize(PeerTable.MAX_OF_ONE + 1);
  }

  @Test
  void aPlaceIsFreeAgainWhenNothingGoesThereAndItsPauseIsOver() {
    occupyAllOfOne();
    silence.dials.get(0).closed(new SluiceException(ErrorCode.TIMED_OUT, "says the test"));
    world.settle();
    assertThat(table.link(member(1_000), ONE, this::open)).as("in its pause").isNull();
    world.advance(Pause.FIRST_NANOS);
    assertThat(table.link(member(1_000), ONE, this::open)).isNotNull();
    assertThat(table.all()).hasSize(PeerTable.MAX_OF_ONE);
  }

  @Test
  void allApplicationsTogetherHaveNoMoreThanTheTable() {
    int applications = PeerTable.MAX_PEERS / PeerTable.MAX_OF_ONE;
    for (int number = 0; number < PeerTable.MAX_PEERS; number++) {
      occupy(ApplicationId.of(2, number % applications), number);
    }
    assertThat(table.link(member(5_000), OTHER, this::open)).isNull();
    silence.dials.get(9).closed(new SluiceException(ErrorCode.TIMED_OUT, "says the test"));
    world.advance(Pause.FIRST_NANOS);
    assertThat(table.link(member(5_000), OTHER, this::open)).isNotNull();
  }
}
