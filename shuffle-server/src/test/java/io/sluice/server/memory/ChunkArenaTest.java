package io.sluice.server.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class ChunkArenaTest {
  private static final int MIB = 1 << 20;

  private final MemoryBudget budget = new MemoryBudget(2 * MIB);
  private final ChunkArena arena = new ChunkArena(budget);

  private MemoryReservation reserve(long bytes) {
    MemoryReservation reservation = budget.tryReserve(bytes);
    if (reservation == null) {
      throw new AssertionError(bytes + " bytes are not free");
    }
    return reservation;
  }

  @Test
  void cutsTheLargestSizeThatFits() {
    try (MemoryReservation all = reserve(2 * MIB)) {
      for (int[] sizes : new int[][] {{4096, 4096}, {16_383, 4096}, {70_000, 65_536}, {MIB, MIB}}) {
        Chunk chunk = arena.allocate(all, sizes[0]);
        assertThat(chunk.capacity()).isEqualTo(sizes[1]);
      }
    }
  }

  @Test
  void takesSlabsOnlyAsNeededAndReusesThem() {
    try (MemoryReservation all = reserve(2 * MIB)) {
      assertThat(arena.slabBytes()).isZero();
      arena.allocate(all, 4096).release();
      arena.allocate(all, 262_144).release();
      assertThat(arena.slabBytes()).isEqualTo(MIB);
    }
    assertThat(arena.chunkBytes()).isZero();
    assertThat(budget.free()).isEqualTo(2 * MIB);
  }

  @Test
  void releasedTogetherEachGivesBackToWhatPaidForItAndLeasedOnesStay() {
    MemoryBudget reserved = new MemoryBudget(MIB);
    ChunkArena both = new ChunkArena(new MemoryBudget(MIB), reserved, ahead -> {});
    try (MemoryReservation main = requireNonNull(both.budget().tryReserve(8192));
        MemoryReservation apart = requireNonNull(reserved.tryReserve(8192))) {
      Chunk first = both.allocate(main, 4096);
      Chunk second = both.allocate(apart, 4096);
      Chunk leased = both.allocate(apart, 4096);
      Chunk beyond = both.allocate(main, 4096);
      leased.retain();
      Chunk.releaseAll(new Chunk[] {first, second, leased, beyond}, 3);
      assertThat(both.budget().free()).isEqualTo(MIB - 4096);
      assertThat(reserved.free()).isEqualTo(MIB - 4096);
      assertThat(both.chunkBytes()).isEqualTo(8192);
      leased.release();
      beyond.release();
      assertThat(reserved.free()).isEqualTo(MIB);
      assertThat(both.free()).isEqualTo(2 * MIB);
    }
  }

  @Test
  void aReadersLeaseOutlivesTheRunsAndIsOneOfAll() {
    LeaseBudget leases = LeaseBudget.ofArena(arena.capacity());
    LeaseBudget.Line reader = leases.line("reader", leases.queue(() -> {}), () -> {});
    try (MemoryReservation all = reserve(4096)) {
      Chunk chunk = arena.allocate(all, 4096);
      assertThat(chunk.lend(reader)).isTrue();
      Chunk.releaseAll(new Chunk[] {chunk}, 1);
      chunk.requireLeased();
      assertThat(arena.chunkBytes()).isEqualTo(4096);
      chunk.takeBack(reader);
      assertThat(arena.chunkBytes()).isZero();
      assertThatThrownBy(chunk::requireLeased).isInstanceOf(IllegalStateException.class);
    }
    reader.close();
  }

  @Test
  void useBehindTheLastLeaseIsFound() {
    try (MemoryReservation all = reserve(4096)) {
      Chunk chunk = arena.allocate(all, 4096);
      chunk.requireLeased();
      Chunk.releaseAll(new Chunk[] {chunk}, 1);
      assertThatThrownBy(chunk::requireLeased).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(chunk::retain).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void releasedTogetherOnceTooOftenIsFound() {
    try (MemoryReservation all = reserve(8192)) {
      Chunk chunk = arena.allocate(all, 4096);
      Chunk.releaseAll(new Chunk[] {chunk}, 1);
      assertThatThrownBy(() -> Chunk.releaseAll(new Chunk[] {chunk}, 1))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void mergesNeighboursWhenAllOfThemAreFree() {
    try (MemoryReservation all = reserve(2 * MIB)) {
      List<Chunk> small = new ArrayList<>();
      for (int i = 0; i < 256; i++) {
        small.add(arena.allocate(all, 4096));
      }
      assertThat(arena.slabBytes()).isEqualTo(MIB);
      for (int i = 0; i < 256; i++) {
        small.get((i * 37) % 256).release();
      }
    }
    try (MemoryReservation all = reserve(2 * MIB)) {
      Chunk large = arena.allocate(all, MIB);
      assertThat(large.capacity()).isEqualTo(MIB);
      assertThat(arena.slabBytes()).isEqualTo(MIB);
      large.release();
    }
  }

  @Test
  void servesEveryReservationInSmallerChunksWhenFragmented() {
    List<Chunk> kept = new ArrayList<>();
    try (MemoryReservation all = reserve(2 * MIB)) {
      List<Chunk> small = new ArrayList<>();
      for (int i = 0; i < 512; i++) {
        small.add(arena.allocate(all, 4096));
      }
      for (int i = 0; i < 512; i++) {
        if (i % 4 == 0) {
          kept.add(small.get(i));
        } else {
          small.get(i).release();
        }
      }
    }
    long free = budget.free();
    assertThat(free).isEqualTo(2 * MIB - 128 * 4096);
    try (MemoryReservation rest = reserve(free)) {
      while (rest.bytes() > 0) {
        assertThat(arena.allocate(rest, MIB).capacity()).isEqualTo(4096);
      }
    }
    assertThat(kept).allMatch(chunk -> chunk.capacity() == 4096);
    assertThat(arena.chunkBytes()).isEqualTo(2 * MIB);
  }

  @Test
  void keepsMemoryUntilTheLastLeaseEnds() {
    try (MemoryReservation all = reserve(4096)) {
      Chunk chunk = arena.allocate(all, 4096);
      chunk.retain();
      chunk.release();
      assertThat(arena.chunkBytes()).isEqualTo(4096);
      chunk.release();
      assertThat(arena.chunkBytes()).isZero();
      assertThatThrownBy(chunk::release).isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(chunk::retain).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void aChunkWhoseLeasesEndedBecomesAnotherPiece() {
    try (MemoryReservation all = reserve(2 * MIB)) {
      Chunk first = arena.allocate(all, 4096);
      first.retain();
      first.release();
      Chunk other = arena.allocate(all, 4096);
      assertThat(other).isNotSameAs(first);
      first.release();
      Chunk larger = arena.allocate(all, 65_536);
      assertThat(larger).isSameAs(first);
      assertThat(larger.capacity()).isEqualTo(65_536);
      larger.release();
      assertThat(arena.chunkBytes()).isEqualTo(4096);
      assertThatThrownBy(larger::release).isInstanceOf(IllegalStateException.class);
      other.release();
      assertThat(arena.chunkBytes()).isZero();
    }
  }

  @Test
  void guardsItsNeighbours() {
    try (MemoryReservation all = reserve(4096)) {
      Chunk chunk = arena.allocate(all, 4096);
      ByteBuffer bytes = ByteBuffer.allocate(4097);
      assertThatThrownBy(() -> chunk.put(0, bytes, 0, 4097))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> chunk.put(4096, bytes, 0, 1))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> chunk.slice(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
      chunk.release();
    }
  }

  @Test
  void wakesTheWaiterOnceEnoughIsFree() {
    List<String> woken = new ArrayList<>();
    MemoryReservation all = reserve(2 * MIB);
    assertThat(budget.awaitFree(8192, () -> woken.add("first"))).isTrue();
    all.shrink(4096);
    assertThat(woken).isEmpty();
    all.shrink(4096);
    all.shrink(4096);
    assertThat(woken).containsExactly("first");
    assertThat(budget.awaitFree(4096, () -> woken.add("second"))).isFalse();
    all.close();
    assertThat(woken).containsExactly("first");
  }

  @Test
  void closesReservationsOnce() {
    MemoryReservation one = reserve(8192);
    MemoryReservation part = one.split(4096);
    MemoryReservation other = budget.empty();
    other.absorb(part);
    assertThat(budget.free()).isEqualTo(2 * MIB - 8192);
    assertThatThrownBy(part::close).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> one.split(4097)).isInstanceOf(IllegalStateException.class);
    one.close();
    other.close();
    assertThatThrownBy(one::close).isInstanceOf(IllegalStateException.class);
    assertThat(budget.free()).isEqualTo(2 * MIB);
  }

  @Test
  void takesAllItsMemoryAtOnceIfTold() {
    arena.preallocate();
    arena.preallocate();
    assertThat(arena.slabBytes()).isEqualTo(2 * MIB);

    try (MemoryReservation all = reserve(2 * MIB)) {
      arena.allocate(all, MIB).release();
      assertThat(arena.allocate(all, MIB).capacity()).isEqualTo(MIB);
    }
    assertThat(arena.slabBytes()).isEqualTo(2 * MIB);
  }

  @Test
  void growsByRegionsAndTakesTheNextOneAhead() {
    MemoryBudget larger = new MemoryBudget(64 * MIB);
    Deque<Runnable> growth = new ArrayDeque<>();
    ChunkArena grown = new ChunkArena(larger, growth::add);
    try (MemoryReservation all = requireNonNull(larger.tryReserve(64 * MIB))) {
      grown.allocate(all, MIB);
      assertThat(grown.slabBytes()).as("a sixteenth").isEqualTo(4 * MIB);
      assertThat(growth).hasSize(1);
      grown.allocate(all, MIB);
      assertThat(growth).as("one at a time").hasSize(1);

      growth.remove().run();

      assertThat(grown.slabBytes()).isEqualTo(8 * MIB);
      grown.allocate(all, MIB);
      assertThat(growth).as("five slabs are left").isEmpty();
      for (int i = 3; i < 64; i++) {
        // Nobody grows it ahead any more.
        assertThat(grown.allocate(all, MIB).capacity()).isEqualTo(MIB);
      }
      assertThat(grown.slabBytes()).isEqualTo(64 * MIB);
    }
  }

  @Test
  void growsOnTheSpotWhenNobodyTakesTheNextRegion() {
    MemoryBudget larger = new MemoryBudget(32 * MIB);
    ChunkArena grown =
        new ChunkArena(
            larger,
            ahead -> {
              throw new RejectedExecutionException("ending");
            });
    try (MemoryReservation all = requireNonNull(larger.tryReserve(32 * MIB))) {
      for (int i = 0; i < 32; i++) {
        assertThat(grown.allocate(all, MIB).capacity()).isEqualTo(MIB);
      }
    }
  }
}
