package io.sluice.server.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.World;
import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryReservation;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/** Connections that spend, ask for and give back credit at random; blocks come and go as chunks. */
final class CreditSimulation {
  static final long CAPACITY = 8 << 20;
  static final CreditLimits LIMITS =
      new CreditLimits(16_384, 6, 300_000, 4 << 20, 60_000_000_000L, 5_000_000_000L);

  final World world;
  final CreditLimits limits;
  final MemoryBudget budget = new MemoryBudget(CAPACITY);
  final ChunkArena arena = new ChunkArena(budget);
  final CreditBroker broker;
  final List<Holder> holders = new ArrayList<>();
  private final List<Chunk> stored = new ArrayList<>();
  private final SplittableRandom random;
  int shortages;

  CreditSimulation(long seed) {
    this(seed, LIMITS);
  }

  CreditSimulation(long seed, CreditLimits limits) {
    this.limits = limits;
    world = new World(seed);
    random = new SplittableRandom(seed);
    broker = new CreditBroker(limits, budget, world, GrantPolicy.EVEN, () -> shortages++);
  }

  Holder join(String application) {
    Holder holder = new Holder(application);
    holders.add(holder);
    return holder;
  }

  /** Takes everything that is free, as data would. */
  void fill() {
    fillBut(0);
  }

  /** Takes what is free but for so many bytes. */
  void fillBut(long rest) {
    while (budget.free() - rest >= ChunkArena.MIN_CHUNK_BYTES) {
      int bytes = (int) Math.min(budget.free() - rest, ChunkArena.MAX_CHUNK_BYTES);
      try (MemoryReservation part = budget.tryReserve(bytes - bytes % 4096)) {
        assertThat(part).isNotNull();
        stored.add(arena.allocate(part, bytes));
      }
    }
  }

  /** Frees data until so many bytes have become free. */
  void free(long bytes) {
    long left = bytes;
    while (left > 0 && !stored.isEmpty()) {
      Chunk chunk = stored.remove(stored.size() - 1);
      left -= chunk.capacity();
      chunk.release();
    }
  }

  void freeAll() {
    free(Long.MAX_VALUE);
  }

  /** Pushes all that some connections may. */
  void freshDataOf(List<Holder> pushing) {
    for (Holder holder : pushing) {
      while (holder.clientCredit > 0) {
        holder.push(Math.min(holder.clientCredit, limits.maxCharge()));
      }
    }
  }

  void act() {
    int choice = random.nextInt(100);
    if (holders.isEmpty() || (choice < 5 && holders.size() < LIMITS.maxConnections())) {
      join("app" + random.nextInt(3));
      return;
    }
    Holder holder = holders.get(random.nextInt(holders.size()));
    if (choice < 50) {
      holder.push((1 + random.nextInt(74)) * 4096L);
    } else if (choice < 70) {
      holder.want((1 + random.nextInt(200)) * 4096L);
    } else if (choice < 80) {
      holder.giveBack(random.nextInt(20) * 4096L);
    } else if (choice < 97) {
      free(random.nextInt(400_000));
    } else {
      holder.close();
    }
  }

  void check() {
    long held = holders.stream().mapToLong(holder -> holder.account.held().bytes()).sum();
    for (Holder holder : holders) {
      assertThat(holder.account.credit())
          .isBetween(0L, holder.account.held().bytes())
          .isEqualTo(holder.clientCredit);
    }
    assertThat(budget.free()).isNotNegative();
    // Seeds, and grants on their way, are the rest.
    assertThat(budget.free() + arena.chunkBytes() + held).isLessThanOrEqualTo(CAPACITY);
  }

  /** A connection whose client answers as clients do. */
  final class Holder implements CreditHolder {
    final String application;
    final ConnectionAccount account;
    final List<Long> grants = new ArrayList<>();
    int refusals;
    int reclaims;
    int waiting;
    // That the broker had this connection do.
    int tasks;
    long clientCredit;
    private final Executor executor = counting(world.executor());
    private boolean closed;

    Holder(String application) {
      this.application = application;
      this.account = new ConnectionAccount(broker, this);
      this.clientCredit = account.credit();
    }

    private Executor counting(Executor loop) {
      return task -> {
        tasks++;
        loop.execute(task);
      };
    }

    /** All that was ever granted. */
    long granted() {
      return grants.stream().mapToLong(Long::longValue).sum();
    }

    /** Has one WANT wait at any time. */
    void keepWanting(long bytes) {
      if (waiting == 0) {
        want(bytes);
      }
    }

    void push(long charge) {
      if (charge > clientCredit || charge > limits.maxCharge()) {
        return;
      }
      clientCredit -= charge;
      account.spend(charge);
      long left = charge;
      while (left > 0) {
        Chunk chunk = arena.allocate(account.held(), (int) left);
        stored.add(chunk);
        left -= chunk.capacity();
      }
      clientCredit += account.refund(charge);
    }

    void want(long bytes) {
      if (waiting < 4) {
        waiting++;
        broker.want(this, application, bytes, account.credit());
      }
    }

    void giveBack(long bytes) {
      long part = Math.min(bytes, clientCredit) / 4096 * 4096;
      clientCredit -= part;
      account.giveBack(application, part);
    }

    void close() {
      closed = true;
      account.close();
      holders.remove(this);
    }

    @Override
    public Executor executor() {
      return executor;
    }

    @Override
    public void granted(MemoryReservation credit) {
      if (closed) {
        credit.close();
        return;
      }
      waiting--;
      grants.add(credit.bytes());
      clientCredit += credit.bytes();
      account.add(credit);
    }

    @Override
    public void refused(ErrorCode code) {
      if (!closed) {
        waiting--;
        refusals++;
      }
    }

    @Override
    public void reclaim(boolean urgent) {
      if (!closed && account.spare() > 0) {
        reclaims++;
      }
    }
  }
}
