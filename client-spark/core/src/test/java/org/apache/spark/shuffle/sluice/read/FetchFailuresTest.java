package org.apache.spark.shuffle.sluice.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.Gap;
import io.sluice.client.MissingBlocksException;
import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.PlacedServer;
import io.sluice.client.placement.Complaint;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.sluice.handle.MissingMaps;
import org.junit.jupiter.api.Test;

class FetchFailuresTest {
  private static final PlacedServer LATER =
      new PlacedServer(ServerId.of(9, 2), 2, "server-2", 7400);

  private final List<MissingMaps> reports = new ArrayList<>();

  @Test
  void failsTheAttemptAndNoMapIfTheDriverFindsThatNothingIsLost() {
    SluiceException thrown = failures(false, false).translate(gap());

    assertThat(reports).hasSize(1);
    assertThat(reports.get(0).forGood()).isFalse();
    assertThat(thrown.code()).isEqualTo(ErrorCode.CONNECT_FAILED);
    assertThat(thrown).hasMessageContaining("server-1").hasMessageContaining("No map output");
  }

  @Test
  void saysThatItIsTheLastAttempt() {
    assertThatThrownBy(() -> failures(true, true).translate(gap()))
        .isInstanceOf(FetchFailedException.class);
    assertThat(reports.get(0).forGood()).isTrue();
  }

  @Test
  void whatAServerThatAnsweredLacksIsLostForGood() {
    MissingBlocksException silent = gap();
    MissingBlocksException mixed =
        new MissingBlocksException(
            silent.code(),
            Gap.of(silent.shuffle(), silent.maps())
                .withSilent(silent.complaints())
                .withLaterLives(List.of(LATER)),
            "two");
    assertThatThrownBy(() -> failures(true, false).translate(mixed))
        .isInstanceOf(FetchFailedException.class);
    assertThat(reports.get(0).forGood()).isTrue();
    assertThat(reports.get(0).laterLives()).containsExactly(LATER);
  }

  private FetchFailures failures(boolean lost, boolean lastAttempt) {
    return new FetchFailures(
        Pieces.SHUFFLE,
        Pieces.winners(),
        missing -> {
          reports.add(missing);
          return lost;
        },
        lastAttempt);
  }

  private static MissingBlocksException gap() {
    PlacedServer server = new PlacedServer(ServerId.of(9, 1), 1, "server-1", 7400);
    return new MissingBlocksException(
        ErrorCode.CONNECT_FAILED,
        Gap.of(
                new ShuffleKey(ApplicationId.of(1, 2), Pieces.SHUFFLE, 0),
                List.of(new MissingMap(1, 101, 0)))
            .outOfReach(List.of(Complaint.ofServer(server, ErrorCode.CONNECT_FAILED))),
        "asked it");
  }
}
