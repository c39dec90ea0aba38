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
  void leavesWhatALaterEpochDoesNotName() {
    FixedPlacement first =
        FixedPlacement.of(SHUFFLE, 5, servers(0, 2), 1, new int[] {0, 1, 0, 1, 0});
    FixedPlacement moved = first.withEpoch(new int[] {1, 3}, servers(2, 3), 1, new int[] {0, 0});
    FixedPlacement again = moved.withEpoch(new int[] {3}, servers(3, 4), 1, new int[] {0});
    assertThat(IntStream.range(0, 5).map(p -> again.epochOf(p, 2))).containsExactly(0, 1, 0, 2, 0);
    assertThat(IntStream.range(0, 5).map(p -> again.epochOf(p, 1))).containsExactly(0, 1, 0, 1, 0);
    assertThat(IntStream.range(0, 5).map(p -> again.epochOf(p, 0))).containsOnly(0);
    assertThat(again.server(1, 3, 0)).isEqualTo(2);
    assertThat(again.server(2, 3, 0)).isEqualTo(3);
    assertThat(again.nextNamed(0, 4)).isEqualTo(4);
    assertThat(again.nextNamed(1, 0)).isEqualTo(1);
    assertThat(again.nextNamed(1, 2)).isEqualTo(3);
    assertThat(again.nextNamed(1, 4)).as("none").isEqualTo(5);
    assertThatThrownBy(() -> again.server(1, 0, 0)).isInstanceOf(SluiceException.class);
  }

  @Test
  void costsLittleForPartitionsThatAreSplit() throws IOException, ClassNotFoundException {
    int partitions = 100_000;
    FixedPlacement placement =
        FixedPlacement.of(SHUFFLE, partitions, servers(0, 200), 1, new int[partitions]);
    int before = serialised(placement).length;
    for (int i = 0; i < 100; i++) {
      placement = placement.withEpoch(new int[] {77}, servers(i, i + 1), 1, new int[1]);
    }
    byte[] bytes = serialised(placement);
    assertThat(bytes.length - before).isLessThan(100 * 35);
    FixedPlacement copy = deserialised(bytes);
    assertThat(copy.epochOf(77, 100)).isEqualTo(100);
    assertThat(copy.epochOf(78, 100)).isZero();
    assertThat(copy.server(100, 77, 0)).isEqualTo(99);
  }

  @Test
  void hasABoundedNumberOfEpochs() {
    FixedPlacement placement = FixedPlacement.of(SHUFFLE, 2, servers(0, 1), 1, new int[2]);
    while (placement.epochs() < ShufflePlacement.MAX_EPOCHS) {
      placement = placement.withEpoch(new int[] {1}, servers(0, 1), 1, new int[1]);
    }
    FixedPlacement full = placement;
    assertThatThrownBy(() -> full.withEpoch(new int[] {1}, servers(0, 1), 1, new int[1]))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_SERVERS));
  }

  @Test
  void refusesEpochsOfPartitionsThatAreNotThereOrNotInOrder() {
    FixedPlacement placement = FixedPlacement.of(SHUFFLE, 3, servers(0, 1), 1, new int[3]);
    for (int[] moved : new int[][] {{3}, {-1}, {1, 1}, {2, 0}}) {
      assertThatThrownBy(() -> placement.withEpoch(moved, servers(0, 1), 1, new int[moved.length]))
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
    }
  }

  private static byte[] serialised(FixedPlacement placement) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(placement);
    }
    return bytes.toByteArray();
  }

  private static FixedPlacement deserialised(byte[] bytes)
      throws IOException, ClassNotFoundException {
    try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
      return (FixedPlacement) in.readObject();
    }
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
    assertThat(bytes.size()).isLessThan(partitions + 200 * 64);
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
