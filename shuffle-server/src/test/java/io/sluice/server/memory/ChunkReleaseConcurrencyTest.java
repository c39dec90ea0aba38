package io.sluice.server.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A run's leases end while a reader's do: whichever ends last gives the chunk back, once. */
class ChunkReleaseConcurrencyTest {
  private static final int ROUNDS = 20_000;
  private static final int CHUNK = 4096;
  private static final int CHUNKS = 8;

  private final MemoryBudget budget = new MemoryBudget(1 << 20);
  private final ChunkArena arena = new ChunkArena(budget);
  private final CyclicBarrier turn = new CyclicBarrier(2);
  private final ExecutorService reader = Executors.newSingleThreadExecutor();
  // Handed over by the barrier.
  private final Chunk[] chunks = new Chunk[CHUNKS];

  @AfterEach
  void stop() {
    reader.shutdownNow();
  }

  @Test
  void theLastOfTwoThatEndTogetherGivesTheChunkBack() throws Exception {
    Future<?> reading =
        reader.submit(
            () -> {
              for (int round = 0; round < ROUNDS; round++) {
                turn.await(30, TimeUnit.SECONDS);
                for (int i = CHUNKS - 1; i >= 0; i -= 2) {
                  requireNonNull(chunks[i]).release();
                }
                turn.await(30, TimeUnit.SECONDS);
              }
              return null;
            });
    for (int round = 0; round < ROUNDS; round++) {
      try (MemoryReservation all = requireNonNull(budget.tryReserve(CHUNKS * CHUNK))) {
        for (int i = 0; i < CHUNKS; i++) {
          chunks[i] = arena.allocate(all, CHUNK);
          if (i % 2 == 1) {
            chunks[i].retain();
          }
        }
      }
      Chunk[] ofRun = chunks.clone();
      turn.await(30, TimeUnit.SECONDS);
      Chunk.releaseAll(ofRun, CHUNKS);
      turn.await(30, TimeUnit.SECONDS);
      assertThat(arena.chunkBytes()).as("round %d", round).isZero();
      assertThat(budget.free()).as("round %d", round).isEqualTo(budget.capacity());
    }
    reading.get(30, TimeUnit.SECONDS);
  }
}
