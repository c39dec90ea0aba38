package io.sluice.server.replication;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryReservation;
import io.sluice.server.memory.TableBudget;
import io.sluice.server.partition.Shuffle;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.quota.Quotas;
import io.sluice.server.quota.TableShares;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Batches of blocks that are really stored, and who hears of them. */
final class BatchFixture implements ReplicaBatch.Owner {
  static final int BLOCK_BYTES = 3000;

  private static final ApplicationId APPLICATION = ApplicationId.of(1, 2);

  final MemoryBudget budget = new MemoryBudget(1 << 20);
  final ChunkArena arena = new ChunkArena(budget);
  final List<ReplicaMember> members =
      List.of(
          new ReplicaMember(ServerId.of(1, 1), 1, "one", 1),
          new ReplicaMember(ServerId.of(1, 2), 1, "two", 1));
  final Queue<ReplicaBatch> held = new ConcurrentLinkedQueue<>();
  final Queue<List<FailedReplica>> failed = new ConcurrentLinkedQueue<>();

  private final MemoryReservation reservation =
      Objects.requireNonNull(budget.tryReserve(budget.capacity() / 2));
  private Shuffle shuffle = shuffle(APPLICATION);

  private static Shuffle shuffle(ApplicationId application) {
    return new Shuffle(
        new ShuffleKey(application, 0, 0),
        1 << 20,
        new TableShares(new TableBudget(1 << 20)).acquire(application),
        new Quotas(QuotaLimits.NONE).acquire(application));
  }

  /** A batch whose block has one lease of its run and one of the batch. */
  ReplicaBatch batch(AckRule rule) {
    return batch(rule, shuffle);
  }

  /** The same with two blocks. */
  ReplicaBatch batchOfTwo() {
    ReplicaBatch batch = batch(AckRule.ALL);
    append(batch, shuffle);
    return batch;
  }

  /** The same of a shuffle of an application of its own. */
  ReplicaBatch batchOf(ApplicationId application) {
    return batch(AckRule.ALL, shuffle(application));
  }

  private ReplicaBatch batch(AckRule rule, Shuffle of) {
    ReplicaBatch batch = new ReplicaBatch(of, members, rule, 0, this);
    append(batch, of);
    return batch;
  }

  private void append(ReplicaBatch batch, Shuffle of) {
    of.partition(0)
        .append(
            ByteBuffer.allocateDirect(BLOCK_BYTES),
            0,
            BLOCK_BYTES,
            0,
            (has, needed) -> arena.allocate(reservation, ChunkArena.MIN_CHUNK_BYTES),
            batch.blocks());
    batch.added(BLOCK_BYTES);
  }

  /** A batch without blocks. */
  ReplicaBatch empty() {
    return new ReplicaBatch(shuffle, members, AckRule.ALL, 0, this);
  }

  /** Ends the lease of the run. */
  void removeShuffle() {
    shuffle.remove();
    shuffle = shuffle(APPLICATION);
    reservation.grow(budget.capacity() / 2 - reservation.bytes());
  }

  @Override
  public void held(ReplicaBatch batch) {
    held.add(batch);
  }

  @Override
  public void failed(ReplicaBatch batch, List<FailedReplica> why) {
    failed.add(why);
  }

  /** A way to one member that counts. */
  static final class Way implements ReplicaBatch.Carrier {
    final AtomicLong kept = new AtomicLong();
    final AtomicLong told = new AtomicLong();
    private final ReplicaMember member;

    Way(ReplicaMember member) {
      this.member = member;
    }

    void answer(ReplicaBatch batch, boolean holds) {
      if (holds) {
        batch.held(this);
      } else {
        batch.failed(this, member, ErrorCode.TIMED_OUT);
      }
    }

    @Override
    public void kept(long bytes) {
      kept.addAndGet(bytes);
    }

    @Override
    public void keptMore() {
      told.incrementAndGet();
    }
  }
}
