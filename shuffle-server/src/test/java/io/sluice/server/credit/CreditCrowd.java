package io.sluice.server.credit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.server.World;
import io.sluice.server.memory.Chunk;
import io.sluice.server.memory.ChunkArena;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryReservation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Executor;

/**
 * Thousands of connections that push what they are granted, through a disk that is slow, or takes
 * nothing for a while. They ask for credit and give it back as clients do; some freeze, and are cut
 * off a little later.
 */
final class CreditCrowd {
  private static final long SECOND = 1_000_000_000L;
  private static final int LOOPS = 4;
  private static final int CHECK_MILLIS = 100;

  final World world;
  final MemoryBudget budget;
  final ChunkArena arena;
  final CreditBroker broker;
  final List<Member> members = new ArrayList<>();
  private final CreditLimits limits;
  private final SplittableRandom random;
  private final List<Executor> loops = new ArrayList<>();
  private final Queue<Chunk> stored = new ArrayDeque<>();
  long diskBytesPerTick;
  long granted;
  long spent;
  long refunded;
  long returned;
  long lapsed;
  int refusals;
  private long grantedAt;

  CreditCrowd(long seed, long capacity, CreditLimits limits) {
    this.world = new World(seed);
    this.random = new SplittableRandom(seed);
    this.limits = limits;
    this.budget = new MemoryBudget(capacity);
    this.arena = new ChunkArena(budget);
    this.broker = new CreditBroker(limits, budget, world, GrantPolicy.EVEN, () -> {});
    for (int i = 0; i < LOOPS; i++) {
      loops.add(world.executor());
    }
  }

  void join(int connections, int applications) {
    for (int i = 0; i < connections; i++) {
      members.add(new Member("app" + i % applications, loops.get(i % LOOPS)));
    }
  }

  /** Hands out all memory in pieces of so many bytes, to clients whose next block is larger. */
  void shred(long bytes) {
    while (budget.free() > bytes) {
      for (Member member : members) {
        MemoryReservation piece = budget.tryReserve(bytes / 4096 * 4096);
        if (piece != null) {
          member.nextBlock = limits.maxCharge();
          member.credit += piece.bytes();
          granted += piece.bytes();
          member.account.add(piece);
        }
      }
    }
  }

  /** Lets time pass; the disk takes what was stored first. */
  void run(int milliseconds) {
    int tick = 10;
    for (int now = 0; now < milliseconds; now += tick) {
      world.advance(tick * SECOND / 1000);
      long left = diskBytesPerTick;
      while (left > 0 && !stored.isEmpty()) {
        Chunk written = stored.remove();
        left -= written.capacity();
        written.release();
      }
      if (now % CHECK_MILLIS == 0) {
        // Grants that are on their way are nobody's yet.
        world.settle();
        reservationsEqualAccountedBytes();
      }
    }
  }

  /** Ends everything; the disk takes the rest. */
  void end() {
    List.copyOf(members).forEach(Member::close);
    world.settle();
    stored.forEach(Chunk::release);
    stored.clear();
  }

  // ---------------------------------------------------------------------------------- invariants

  void reservationsEqualAccountedBytes() {
    long held = members.stream().mapToLong(member -> member.account.held().bytes()).sum();
    assertThat(budget.free() + arena.chunkBytes() + held + broker.seedsLeft())
        .as("ReservationsEqualAccountedBytes")
        .isEqualTo(budget.capacity());
  }

  /** By a grant, or a refusal when nothing was granted for the deadline. */
  void everyWantIsAnsweredByItsDeadline() {
    for (Member member : members) {
      assertThat(
              member.waitsSince < 0
                  || world.nanoTime() - Math.max(member.waitsSince, grantedAt)
                      <= limits.wantTimeoutNanos())
          .as("EveryWantIsAnsweredByItsDeadline")
          .isTrue();
    }
  }

  void creditReturnedEqualsCreditGranted() {
    long left = members.stream().mapToLong(member -> member.credit).sum();
    assertThat(spent + returned + lapsed + left)
        .as("CreditReturnedEqualsCreditGranted")
        .isEqualTo(granted + refunded);
  }

  /** A connection whose client answers as clients do. */
  final class Member implements CreditHolder {
    final String application;
    final ConnectionAccount account;
    long credit;
    long pushed;
    long waitsSince = -1;
    boolean frozen;
    private final Executor loop;
    private final long seed;
    private long nextBlock;
    private boolean closed;

    Member(String application, Executor loop) {
      this.application = application;
      this.loop = loop;
      this.account = new ConnectionAccount(broker, this);
      this.seed = account.credit();
      this.credit = seed;
      granted += seed;
      nextBlock();
      rest();
    }

    private void nextBlock() {
      nextBlock = (1 + random.nextInt((int) (limits.maxCharge() / 4096))) * 4096L;
    }

    private void rest() {
      world.schedule(
          (1 + random.nextInt(50)) * SECOND / 1000,
          () -> {
            if (!closed && !frozen) {
              act();
            }
          });
    }

    private void act() {
      if (credit >= nextBlock) {
        push();
        rest();
      } else if (waitsSince < 0) {
        waitsSince = world.nanoTime();
        broker.want(this, application, Math.max(64 << 10, nextBlock - credit), account.credit());
      }
    }

    private void push() {
      credit -= nextBlock;
      spent += nextBlock;
      account.spend(nextBlock);
      long left = nextBlock;
      while (left > 0) {
        Chunk chunk = arena.allocate(account.held(), (int) left);
        stored.add(chunk);
        left -= chunk.capacity();
      }
      long refund = account.refund(nextBlock);
      credit += refund;
      refunded += refund;
      pushed++;
      nextBlock();
    }

    void close() {
      closed = true;
      lapsed += credit;
      account.close();
      members.remove(this);
    }

    @Override
    public Executor executor() {
      return loop;
    }

    @Override
    public void granted(MemoryReservation grant) {
      if (closed) {
        grant.close();
        return;
      }
      everyWantIsAnsweredByItsDeadline();
      waitsSince = -1;
      grantedAt = world.nanoTime();
      granted += grant.bytes();
      credit += grant.bytes();
      account.add(grant);
      rest();
    }

    @Override
    public void refused(ErrorCode code) {
      if (!closed) {
        everyWantIsAnsweredByItsDeadline();
        refusals++;
        waitsSince = -1;
        rest();
      }
    }

    @Override
    public void reclaim(boolean urgent) {
      long kept = credit >= nextBlock ? nextBlock : seed;
      long spare = closed || frozen ? 0 : Math.min(account.spare(), credit - kept);
      if (spare > 0 && (urgent || waitsSince < 0)) {
        credit -= spare;
        returned += spare;
        account.giveBack(application, spare);
      }
    }
  }
}
