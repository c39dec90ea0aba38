package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeDriver;
import io.sluice.client.fake.FakeServer;
import io.sluice.client.placement.Placements;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;

/** Writers and readers of three servers, of which the first is in trouble. */
abstract class MoveFixture {
  static final int BLOCK = 10_000;
  static final int PARTITIONS = 4;

  final FakeCluster cluster = new FakeCluster(3, 1);
  final FakeServer first = cluster.servers.get(0);
  final PlacedServer firstPlaced = first.placed();
  final FakeDriver driver = cluster.driver(cluster.placement(PARTITIONS));
  final ShufflePlacement placement = driver.placement();
  final SluiceClient client =
      cluster.client(
          ClientConfig.builder()
              .frameBytes(32 * 1024)
              .maxBlockBytes(64 * 1024)
              .maxInFlightBytes(256 * 1024)
              .suspectAfter(Duration.ofSeconds(5))
              .reconnectDeadline(Duration.ofSeconds(20))
              .build(),
          Placements.from(driver));

  @AfterEach
  void freesEverything() {
    client.close();
    assertThat(cluster.activeBytes()).as("direct memory left").isZero();
  }

  final void write(int map) throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, map, map)) {
      pushAll(output);
      output.finish();
    }
  }

  static void pushAll(MapOutput output) throws InterruptedException {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      push(output, partition, BlockHeader.LAST);
    }
  }

  static void push(MapOutput output, int partition, int flags) throws InterruptedException {
    ByteBuffer payload = output.beginBlock(partition, BLOCK);
    payload.put(new byte[BLOCK]);
    output.endBlock(BLOCK, BLOCK, 1, flags);
  }

  final void assertComplaint(FakeServer server, ErrorCode code) {
    assertComplaint(server, code, server.placed());
  }

  final void assertComplaint(FakeServer server, ErrorCode code, PlacedServer placed) {
    assertThat(driver.asked.get(0))
        .singleElement()
        .satisfies(
            complaint -> {
              assertThat(complaint.server()).as("%s", server).isEqualTo(placed);
              assertThat(complaint.code()).isEqualTo(code);
              assertThat(complaint.isOfServer()).isTrue();
            });
  }

  final void assertReadable(int maps, int attemptOffset) throws InterruptedException {
    assertReadable(maps, attemptOffset, PARTITIONS);
  }

  /** Reads all partitions of maps whose attempts were numbered from an offset. */
  final void assertReadable(int maps, int attemptOffset, int blocks) throws InterruptedException {
    int last = driver.placement().epochs() - 1;
    ArrayExpectedMaps.Builder builder = ArrayExpectedMaps.builder(0, PARTITIONS).epochs(0, last);
    for (int map = 0; map < maps; map++) {
      int position = builder.add(map, map + attemptOffset);
      IntStream.range(0, PARTITIONS).forEach(p -> builder.nonEmpty(position, p));
    }
    try (BlockReader reader = client.read(placement, 0, PARTITIONS, 0, maps, builder.build())) {
      assertThat(count(reader)).isEqualTo(maps * blocks);
    }
  }

  static ExpectedMaps expected(int maps, int firstEpoch, int lastEpoch) {
    ArrayExpectedMaps.Builder builder =
        ArrayExpectedMaps.builder(0, PARTITIONS).epochs(firstEpoch, lastEpoch);
    for (int map = 0; map < maps; map++) {
      int position = builder.add(map, map);
      IntStream.range(0, PARTITIONS).forEach(p -> builder.nonEmpty(position, p));
    }
    return builder.build();
  }

  static int count(BlockReader reader) throws InterruptedException {
    int count = 0;
    try (reader) {
      while (reader.next() != null) {
        count++;
      }
    }
    return count;
  }

  static long seconds(int seconds) {
    return Duration.ofSeconds(seconds).toNanos();
  }

  static AbstractThrowableAssert<?, ? extends Throwable> assertCode(
      ThrowingCallable call, ErrorCode code) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
  }
}
