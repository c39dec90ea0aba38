package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.List;
import org.junit.jupiter.api.Test;

class GapTest {
  private static final PlacedServer SERVER = new PlacedServer(ServerId.of(9, 1), 1, "server", 7400);
  private static final Complaint SILENT = Complaint.ofServer(SERVER, ErrorCode.TIMED_OUT);

  private final Gap gap =
      Gap.of(new ShuffleKey(ApplicationId.of(1, 2), 3, 0), List.of(new MissingMap(4, 104, 0)));

  @Test
  void isNobodysAtFirst() {
    assertTold(gap, List.of(), false, List.of());
  }

  @Test
  void keepsWhatItKnowsInWhateverOrderItIsTold() {
    List<PlacedServer> later = List.of(SERVER);
    List<Complaint> silent = List.of(SILENT);
    assertTold(gap.withSilent(silent).withLaterLives(later), silent, false, later);
    assertTold(gap.withLaterLives(later).withSilent(silent), silent, false, later);
    assertTold(gap.outOfReach(silent).withLaterLives(later), silent, true, later);
    assertTold(gap.withLaterLives(later).outOfReach(silent), silent, true, later);
  }

  @Test
  void isNotOutOfReachOfNobody() {
    assertThatThrownBy(() -> gap.outOfReach(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static void assertTold(
      Gap gap, List<Complaint> silent, boolean outOfReach, List<PlacedServer> later) {
    MissingBlocksException told = new MissingBlocksException(ErrorCode.DATA_LOST, gap, "gone");
    assertThat(told.shuffle().shuffleId()).isEqualTo(3);
    assertThat(told.maps()).extracting(MissingMap::mapIndex).containsExactly(4);
    assertThat(told.complaints()).isEqualTo(silent);
    assertThat(told.isOutOfReach()).isEqualTo(outOfReach);
    assertThat(told.laterLives()).isEqualTo(later);
  }
}
