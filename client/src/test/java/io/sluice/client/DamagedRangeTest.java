package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.MissingBlocksException.MissingMap;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.fake.StoredBlock;
import io.sluice.transport.DamagedBlock;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One reader of many partitions, most of them damaged, and a server that does something about each
 * that it is told of.
 */
class DamagedRangeTest {
  private static final int PARTITIONS = 24;
  private static final int DAMAGED = 20;
  private static final int MAPS = 3;
  private static final int BLOCK = 1_000;
  private static final UniformShuffle SHUFFLE = new UniformShuffle(MAPS, PARTITIONS, BLOCK);

  private final FakeCluster cluster = new FakeCluster(1, 1);
  private final FakeServer server = cluster.servers.get(0);
  private final ShufflePlacement placement = cluster.placement(PARTITIONS);
  private final SluiceClient client = cluster.client(ClientConfig.defaults());

  @BeforeEach
  void write() throws InterruptedException {
    SHUFFLE.write(client, placement);
  }

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  private List<StoredBlock> blocks(int partition) {
    return server.blocks(cluster.shuffle, partition);
  }

  private void damage(int partition, int block, int storedLength) {
    List<StoredBlock> blocks = blocks(partition);
    blocks.set(block, blocks.get(block).withStoredLength(storedLength));
  }

  /** The next header is looked for in the middle of a payload, and the stream ends. */
  private void damageHeaders(int block) {
    for (int partition = 2; partition < 2 + DAMAGED; partition++) {
      damage(partition, block, BLOCK / 2);
    }
  }

  /** Does something the first time that the server is told of a partition. */
  private void whenTold(IntConsumer mend) {
    Set<Integer> told = new HashSet<>();
    server.onDamaged =
        () -> {
          int partition = server.damaged.get(server.damaged.size() - 1).partition();
          if (told.add(partition)) {
            mend.accept(partition);
          }
        };
  }

  private void assertLacks(int... maps) {
    assertThatThrownBy(() -> UniformShuffle.count(SHUFFLE.read(client, placement, 0, PARTITIONS)))
        .isInstanceOfSatisfying(
            MissingBlocksException.class,
            missing ->
                assertThat(missing.maps().stream().mapToInt(MissingMap::mapIndex))
                    .containsExactlyInAnyOrder(box(maps)));
  }

  private static Integer[] box(int... numbers) {
    return Arrays.stream(numbers).boxed().toArray(Integer[]::new);
  }

  @Test
  void lacksOnlyWhatIsDamagedHoweverManyPartitionsAre() {
    damageHeaders(1);
    int damaged = blocks(2).get(1).mapIndex();
    whenTold(partition -> blocks(partition).remove(1));
    assertLacks(damaged);
    assertThat(server.fetches).isEqualTo(1 + DAMAGED);
  }

  /** Each look then ends at the next partition without anything new before it. */
  @Test
  void getsPastPartitionsOfWhichNothingIsLeft() {
    damageHeaders(0);
    int damaged = 2 + DAMAGED - 1;
    whenTold(partition -> blocks(partition).clear());
    assertLacks(0, 1, 2);
    assertThat(server.fetches).isEqualTo(1 + DAMAGED);
    assertThat(server.damaged).extracting(DamagedBlock::partition).endsWith(damaged);
  }

  @Test
  void tellsOfAllBlocksThatNeverEndAtOnce() {
    for (int partition = 2; partition < 2 + DAMAGED; partition++) {
      damage(partition, 1, 4 << 20);
    }
    int damaged = blocks(2).get(1).mapIndex();
    whenTold(partition -> blocks(partition).remove(1));
    assertLacks(damaged);
    assertThat(server.damaged).hasSize(DAMAGED);
    assertThat(server.fetches).isEqualTo(2);
  }

  @Test
  void asksAgainAtOnce() {
    StoredBlock intact = blocks(2).get(1);
    damage(2, 1, BLOCK / 2);
    whenTold(partition -> blocks(partition).set(1, intact));
    BlockReader reader = SHUFFLE.read(client, placement, 0, PARTITIONS);
    assertThatCode(() -> UniformShuffle.count(reader)).doesNotThrowAnyException();
    assertThat(server.fetches).isEqualTo(2);
    assertThat(reader.waitNanos()).isLessThan(Duration.ofMillis(50).toNanos());
  }

  @Test
  void givesUpWhenALookGetsNoFurther() {
    damageHeaders(1);
    assertLacks(0, 1, 2);
    assertThat(server.fetches).isEqualTo(2);
  }
}
