package org.apache.spark.shuffle.sluice.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.BlockManagerId$;
import org.junit.jupiter.api.Test;
import scala.Option;

class MapLocationTest {
  @Test
  void isUniqueByShuffleMapAndAttempt() {
    Set<String> executors = new HashSet<>();
    Set<String> hosts = new HashSet<>();
    for (int shuffle = 0; shuffle < 4; shuffle++) {
      for (int map = 0; map < 12; map++) {
        for (long attempt = 0; attempt < 12; attempt++) {
          BlockManagerId location = MapLocation.of(shuffle, map, attempt, 0, 0);
          executors.add(location.executorId());
          hosts.add(location.host());
        }
      }
    }
    assertThat(executors).hasSize(4 * 12 * 12);
    assertThat(hosts).hasSize(4 * 12 * 12);
  }

  @Test
  void isAValidHostNameAndPortForSpark() {
    BlockManagerId location =
        MapLocation.of(Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE, 1022, 1023, true);
    assertThat(location.port()).isEqualTo(1);
    assertThat(location.host()).matches("[a-z0-9-]{1,63}");
    assertThat(location.isDriver()).isFalse();
    assertThat(location.topologyInfo().isEmpty()).isTrue();
  }

  @Test
  void tellsTheEpochs() {
    assertThat(MapLocation.firstEpoch(MapLocation.of(1, 2, 3, 0, 0))).isZero();
    assertThat(MapLocation.lastEpoch(MapLocation.of(1, 2, 3, 0, 0))).isZero();
    assertThat(MapLocation.firstEpoch(MapLocation.of(1, 2, 3, 7, 41))).isEqualTo(7);
    assertThat(MapLocation.lastEpoch(MapLocation.of(1, 2, 3, 7, 41))).isEqualTo(41);
  }

  @Test
  void tellsWhetherAMajorityWasEnough() {
    BlockManagerId majority = MapLocation.of(1, 2, 3, 7, 41, true);
    assertThat(MapLocation.majorityEnough(majority)).isTrue();
    assertThat(MapLocation.firstEpoch(majority)).isEqualTo(7);
    assertThat(MapLocation.lastEpoch(majority)).isEqualTo(41);
    assertThat(MapLocation.majorityEnough(MapLocation.of(1, 2, 3, 7, 41))).isFalse();
  }

  @Test
  void saysWhereBlocksAreIfItIsTold() {
    BlockManagerId location = MapLocation.of(1, 2, 3, 7, 41, true);
    assertThat(MapLocation.storedOn(location)).isNull();
    for (BitSet servers : List.of(bits(), bits(0), bits(7, 8), bits(0, 63, 64, 1023))) {
      BlockManagerId holding = MapLocation.holding(location, servers);
      assertThat(MapLocation.storedOn(holding)).isEqualTo(servers);
      assertThat(MapLocation.firstEpoch(holding)).isEqualTo(7);
      assertThat(MapLocation.lastEpoch(holding)).isEqualTo(41);
      assertThat(MapLocation.majorityEnough(holding)).isTrue();
      assertThat(holding.host()).isEqualTo(location.host());
      assertThat(holding.executorId()).startsWith(location.executorId()).hasSizeLessThan(320);
    }
    assertThat(MapLocation.holding(location, bits(1024))).as("too long").isEqualTo(location);
  }

  private static BitSet bits(int... positions) {
    BitSet bits = new BitSet();
    IntStream.of(positions).forEach(bits::set);
    return bits;
  }

  @Test
  void doesNotTakeRealExecutorsForItsOwn() {
    BlockManagerId real = BlockManagerId$.MODULE$.apply("7", "host", 7337, Option.empty());
    assertThat(MapLocation.isOurs(real)).isFalse();
    assertThatThrownBy(() -> MapLocation.firstEpoch(real))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> MapLocation.lastEpoch(real))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void survivesSerialisation() throws Exception {
    BlockManagerId location = MapLocation.of(5, 6, 7, 8, 9);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(location);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      assertThat(in.readObject()).isEqualTo(location);
    }
  }
}
