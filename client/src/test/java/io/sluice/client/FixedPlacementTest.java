package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FixedPlacementTest {
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 2), 3, 4);

  @Test
  void answersWhatItWasGiven() {
    FixedPlacement placement =
        FixedPlacement.of(SHUFFLE, 3, servers(0, 2), 2, new int[] {0, 1, 1, 0, 1, 1});
    assertThat(placement.shuffle()).isEqualTo(SHUFFLE);
    assertThat(placement.partitions()).isEqualTo(3);
    assertThat(placement.epochs()).isEqualTo(1);
    assertThat(placement.replicas(0)).isEqualTo(2);
    assertThat(placement.server(0, 1, 0)).isEqualTo(1);
    assertThat(placement.server(0, 1, 1)).isZero();
    assertThat(placement.server(0, 2, 0)).isEqualTo(1);
  }

  @Test
  void appendsEpochsAndKnowsEachServerOnce() {
    FixedPlacement first = FixedPlacement.of(SHUFFLE, 2, servers(0, 2), 1, new int[] {0, 1});
    FixedPlacement both = first.withEpoch(servers(1, 3), 1, new int[] {0, 1});
    assertThat(both.servers()).isEqualTo(servers(0, 3));
    assertThat(both.epochs()).isEqualTo(2);
    assertThat(both.server(0, 1, 0)).isEqualTo(1);
    assertThat(both.server(1, 0, 0)).isEqualTo(1);
    assertThat(both.server(1, 1, 0)).isEqualTo(2);
    assertThat(first.epochs()).as("the first stays as it was").isEqualTo(1);
  }

  @Test
  void growsBeyond256ServersInALaterEpoch() {
    FixedPlacement small = FixedPlacement.of(SHUFFLE, 2, servers(0, 2), 1, new int[] {0, 1});
    FixedPlacement large = small.withEpoch(servers(2, 700), 1, new int[] {697, 5});
    assertThat(large.server(0, 1, 0)).isEqualTo(1);
    assertThat(large.server(1, 0, 0)).isEqualTo(699);
    assertThat(large.server(1, 1, 0)).isEqualTo(7);
  }

  @Test
  void serialisesSmallAndWhole() throws IOException, ClassNotFoundException {
    int partitions = 100_000;
    int[] assignment = IntStream.range(0, partitions).map(p -> p * 31 % 200).toArray();
    FixedPlacement placement =
        FixedPlacement.of(SHUFFLE, partitions, servers(0, 200), 1, assignment);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(placement);
    }
    assertThat(bytes.size()).isLessThan(partitions + 200 * 60);
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      FixedPlacement copy = (FixedPlacement) in.readObject();
      assertThat(copy.shuffle()).isEqualTo(SHUFFLE);
      assertThat(copy.servers()).isEqualTo(placement.servers());
      for (int p = 0; p < partitions; p++) {
        assertThat(copy.server(0, p, 0)).isEqualTo(assignment[p]);
      }
    }
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertInvalid(3, 1, new int[] {0, 1});
    assertInvalid(2, 0, new int[] {});
    assertInvalid(2, 1, new int[] {0, 2});
    assertInvalid(2, 1, new int[] {0, -1});
  }

  private static void assertInvalid(int partitions, int replicas, int[] assignment) {
    assertThatThrownBy(
            () -> FixedPlacement.of(SHUFFLE, partitions, servers(0, 2), replicas, assignment))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
  }

  private static List<PlacedServer> servers(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(i -> new PlacedServer(ServerId.of(9, i), 1, "shuffle-server-" + i, 7000 + i))
        .toList();
  }
}
