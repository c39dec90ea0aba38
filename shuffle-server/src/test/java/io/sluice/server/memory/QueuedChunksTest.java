package io.sluice.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QueuedChunksTest {
  private static final long MIB = 1 << 20;

  private final AtomicInteger told = new AtomicInteger();
  private final QueuedChunks queue = new QueuedChunks(16 * MIB, told::incrementAndGet);

  @Test
  void takesWhatASocketDoesFromTheLargestChunks() {
    assertThat(queue.pieceMark()).isEqualTo(2 * MIB);
    queue.entered(2 * MIB);
    queue.entered(2 * MIB);
    assertThat(queue.isFull()).isFalse();
    queue.entered(2 * MIB);
    assertThat(queue.isFull()).isTrue();
    assertThat(queue.most()).isEqualTo(6 * MIB);
  }

  @Test
  void tellsOnceWhoFoundItFull() {
    queue.entered(3 * MIB);
    queue.entered(3 * MIB);
    queue.left(3 * MIB);
    assertThat(told).hasValue(0);
    queue.entered(3 * MIB);
    assertThat(queue.isFull()).isTrue();
    queue.entered(MIB);
    queue.left(MIB);
    assertThat(told).hasValue(0);
    queue.left(3 * MIB);
    assertThat(told).hasValue(1);
    queue.left(3 * MIB);
    assertThat(told).hasValue(1);
    assertThat(queue.isFull()).isFalse();
  }

  /** Others of the application have half at least, from an arena of 32 MiB on. */
  @ParameterizedTest
  @ValueSource(longs = {32, 40, 74, 128, 1024, 100_000})
  void leavesHalfOfAnApplicationsToOthers(long arenaMib) {
    LeaseBudget leases = LeaseBudget.ofArena(arenaMib * MIB);
    assertThat(leases.queue(() -> {}).most()).isLessThanOrEqualTo(leases.perApplication() / 2);
  }

  @Test
  void hasRoomForOneChunkInTheSmallestArena() {
    QueuedChunks tiny = LeaseBudget.ofArena(MIB).queue(told::incrementAndGet);
    assertThat(tiny.isFull()).isFalse();
    tiny.entered(MIB);
    assertThat(tiny.isFull()).isTrue();
    tiny.left(MIB);
    assertThat(told).hasValue(1);
    assertThat(tiny.isFull()).isFalse();
  }
}
