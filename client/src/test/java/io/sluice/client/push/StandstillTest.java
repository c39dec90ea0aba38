package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.PlacedServer;
import io.sluice.client.TaskSignal;
import io.sluice.client.fake.FakeLoop;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StandstillTest {
  private static final PlacedServer ONE = server(1);
  private static final PlacedServer OTHER = server(2);

  private final InFlight inFlight = new InFlight(new NoWait(), new FakeLoop().clock());
  private final Standstill standstill = new Standstill(inFlight, 120);

  @Test
  void lastsFromOneServerToTheNext() {
    assertThat(standstill.isLong(500)).as("nobody refused anything").isFalse();
    standstill.refused(ONE, ErrorCode.NO_MEMORY, 1000);
    standstill.refused(OTHER, ErrorCode.NO_DISK_SPACE, 1060);
    assertThat(standstill.isLong(1060)).isTrue();
    assertThat(standstill.isOver(1119)).isFalse();
    standstill.refused(ONE, ErrorCode.NO_MEMORY, 1120);
    assertThat(standstill.isOver(1120)).isTrue();
  }

  @Test
  void endsWithAnythingThatIsAcknowledged() {
    standstill.refused(ONE, ErrorCode.NO_MEMORY, 1000);
    inFlight.acked();
    standstill.refused(OTHER, ErrorCode.NO_DISK_SPACE, 1120);
    assertThat(standstill.isLong(1120)).isFalse();
    assertThat(standstill.lately(1120)).isEqualTo(Map.of(OTHER, ErrorCode.NO_DISK_SPACE));
    standstill.refused(OTHER, ErrorCode.NO_DISK_SPACE, 1180);
    assertThat(standstill.isLong(1180)).as("nothing since").isTrue();
  }

  @Test
  void forgetsWhoRefusedLongAgo() {
    standstill.refused(ONE, ErrorCode.NO_MEMORY, 1000);
    standstill.refused(OTHER, ErrorCode.NO_MEMORY, 1030);
    assertThat(standstill.lately(1089)).containsOnlyKeys(ONE, OTHER);
    assertThat(standstill.lately(1090)).containsOnlyKeys(OTHER);
  }

  private static PlacedServer server(int number) {
    return new PlacedServer(ServerId.of(9, number), 1, "server-" + number, 7000);
  }

  private static final class NoWait implements TaskSignal {
    @Override
    public void signal() {}

    @Override
    public void await() {
      throw new AssertionError("nobody waits here");
    }
  }
}
