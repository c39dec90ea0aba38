package io.sluice.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

class ChunkArenaPropertyTest {
  private static final int MIB = 1 << 20;

  /** A chunk and the byte it was filled with. */
  private record Filled(Chunk chunk, byte with) {}

  @Property(tries = 100, shrinking = ShrinkingMode.OFF)
  void givesEveryByteToOneChunkAndAccountsForAll(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    MemoryBudget budget = new MemoryBudget(3L * MIB);
    ChunkArena arena = new ChunkArena(budget);
    List<Filled> filled = new ArrayList<>();
    long used = 0;
    for (int i = 0; i < 2000; i++) {
      int wanted = 4096 << random.nextInt(9);
      if (random.nextInt(100) < 70) {
        MemoryReservation reservation = budget.tryReserve(wanted);
        if (reservation != null) {
          try (reservation) {
            Filled chunk = fill(arena.allocate(reservation, wanted), (byte) i);
            filled.add(chunk);
            used += chunk.chunk.capacity();
          }
        } else {
          assertThat(used + wanted).isGreaterThan(3L * MIB);
        }
      } else if (!filled.isEmpty()) {
        int together = Math.min(filled.size(), 1 + random.nextInt(3));
        Chunk[] gone = new Chunk[together];
        for (int each = 0; each < together; each++) {
          Filled taken = filled.remove(random.nextInt(filled.size()));
          assertIntact(taken);
          used -= taken.chunk.capacity();
          gone[each] = taken.chunk;
        }
        Chunk.releaseAll(gone, together);
      }
      assertThat(arena.chunkBytes()).isEqualTo(used);
      assertThat(budget.free()).isEqualTo(3L * MIB - used);
    }
    filled.forEach(ChunkArenaPropertyTest::assertIntact);
    filled.forEach(chunk -> chunk.chunk.release());
    assertThat(budget.free()).isEqualTo(3L * MIB);
    try (MemoryReservation all = Objects.requireNonNull(budget.tryReserve(3L * MIB))) {
      for (int i = 0; i < 3; i++) {
        assertThat(arena.allocate(all, MIB).capacity()).as("slabs are whole again").isEqualTo(MIB);
      }
    }
  }

  private static Filled fill(Chunk chunk, byte with) {
    ByteBuffer bytes = ByteBuffer.allocate(chunk.capacity());
    while (bytes.hasRemaining()) {
      bytes.put(with);
    }
    chunk.put(0, bytes, 0, chunk.capacity());
    return new Filled(chunk, with);
  }

  private static void assertIntact(Filled filled) {
    ByteBuffer bytes = filled.chunk.slice(0, filled.chunk.capacity());
    while (bytes.hasRemaining()) {
      if (bytes.get() != filled.with) {
        throw new AssertionError("two chunks share a byte");
      }
    }
  }
}
