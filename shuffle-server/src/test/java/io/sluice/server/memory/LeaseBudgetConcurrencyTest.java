package io.sluice.server.memory;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Threads that lend the same chunks, wait for room, and end leases that others took. */
class LeaseBudgetConcurrencyTest {
  private static final int MIB = 1 << 20;
  private static final int THREADS = 4;
  private static final int CHUNKS_OF_EACH = 8;
  private static final int ROUNDS = 20_000;
  private static final int PIECES = 200_000;

  private final ChunkArena arena = new ChunkArena(new MemoryBudget(16 * MIB));
  // 2 MiB, of which an application has one.
  private final LeaseBudget leases = LeaseBudget.ofArena(8 * MIB);

  private Chunk chunk(int bytes) {
    try (MemoryReservation paid = requireNonNull(arena.budget().tryReserve(bytes))) {
      return arena.allocate(paid, bytes);
    }
  }

  @Test
  void everybodyGetsOnAndNothingIsLeft() throws Exception {
    List<Chunk> all = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<Future<Integer>> done = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      List<Chunk> chunks = new ArrayList<>();
      for (int j = 0; j < CHUNKS_OF_EACH; j++) {
        chunks.add(chunk(j % 2 == 0 ? 256 * 1024 : 64 * 1024));
      }
      all.addAll(chunks);
      // Two threads for each application, which have chunks of its own.
      done.add(threads.submit(new Reader("application " + i / 2, i, chunks)));
    }
    for (Future<Integer> each : done) {
      assertThat(each.get(60, TimeUnit.SECONDS)).isPositive();
    }
    threads.shutdown();
    assertThat(leases.leased()).isZero();
    assertThat(leases.waiting()).isZero();
    assertThat(leases.applications()).isZero();
    all.forEach(Chunk::release);
    assertThat(arena.chunkBytes()).isZero();
  }

  /** One thread adds pieces and stops when the queue is full, another one sends them. */
  @Test
  void aQueueThatWasFullGoesOnWheneverSomethingHasLeft() throws Exception {
    Semaphore room = new Semaphore(0);
    QueuedChunks queue = leases.queue(room::release);
    LinkedBlockingQueue<Integer> sent = new LinkedBlockingQueue<>();
    ExecutorService sender = Executors.newSingleThreadExecutor();
    Future<?> done =
        sender.submit(
            () -> {
              for (int i = 0; i < PIECES; i++) {
                queue.left(sent.take());
              }
              return null;
            });
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < PIECES; i++) {
      while (queue.isFull()) {
        assertThat(room.tryAcquire(30, TimeUnit.SECONDS)).as(queue.toString()).isTrue();
      }
      // A small one, or one with which it is full.
      int bytes = random.nextBoolean() ? 4096 : MIB / 2;
      queue.entered(bytes);
      sent.add(bytes);
    }
    done.get(60, TimeUnit.SECONDS);
    sender.shutdown();
    assertThat(queue.isFull()).isFalse();
  }

  private final class Reader implements Callable<Integer> {
    private final SplittableRandom random;
    private final List<Chunk> chunks;
    private final Semaphore room = new Semaphore(0);
    private final LeaseBudget.Line line;
    private final ArrayDeque<Chunk> held = new ArrayDeque<>();

    Reader(String application, int number, List<Chunk> chunks) {
      this.random = new SplittableRandom(number);
      this.chunks = chunks;
      this.line = leases.line(application, leases.queue(() -> {}), room::release);
    }

    @Override
    public Integer call() throws InterruptedException {
      int lent = 0;
      for (int round = 0; round < ROUNDS; round++) {
        Chunk chunk = chunks.get(random.nextInt(chunks.size()));
        if (chunk.lend(line)) {
          held.add(chunk);
          lent++;
        } else if (!line.await(chunk.capacity())) {
          // Nobody waits for ever: whoever holds room here ends its leases before it waits.
          giveBack(0);
          assertThat(room.tryAcquire(30, TimeUnit.SECONDS)).as(leases.toString()).isTrue();
        }
        assertThat(leases.leased()).isLessThanOrEqualTo(leases.capacity());
        giveBack(random.nextInt(6));
      }
      giveBack(0);
      line.close();
      return lent;
    }

    private void giveBack(int but) {
      while (held.size() > but) {
        held.remove().takeBack(line);
      }
    }
  }
}
