package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.ReplicationLimits;
import io.sluice.server.segment.SegmentStore;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.TransportLimits;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The core under real threads: event loops that push and fetch while disks flush. */
class ServerCoreConcurrencyTest {
  private static final int LOOPS = 3;
  private static final int BLOCKS_PER_LOOP = 1500;
  private static final int PARTITIONS = 16;
  private static final long ARENA = 4 << 20;
  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(1);
  private static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(3, 4), 5);

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final ThreadScheduler timers =
      new ThreadScheduler("timers", Clock.system(), (thread, failure) -> failures.add(failure));
  private final List<ExecutorService> threads = new ArrayList<>();

  private ExecutorService thread() {
    return thread(Executors.newSingleThreadExecutor());
  }

  private ExecutorService thread(ExecutorService made) {
    threads.add(made);
    return made;
  }

  @Test
  void keepsEveryBlockOnceWhileLoopsAndDisksRace() throws Exception {
    List<SegmentStore> stores =
        List.of(
            new MemoryStore("d0", CoreFixture.UNIT, thread()),
            new MemoryStore("d1", CoreFixture.UNIT, thread()));
    CreditLimits credit =
        new CreditLimits(
            CoreFixture.SEED, 8, CoreFixture.MAX_BLOCK, 1 << 20, 60_000_000_000L, 60_000_000_000L);
    FlushLimits flush = FlushLimits.ofArena(ARENA, 0.4, CoreFixture.UNIT * 7 / 8, 1_000_000);
    ServerCore core =
        new ServerCore(
            new CoreSettings(
                new CoreSettings.Memory(ARENA, 64 << 20),
                CoreFixture.UNIT,
                new CoreSettings.Reads(16 * 1024, 4),
                credit,
                flush,
                QuotaLimits.NONE,
                ReplicationLimits.NONE),
            new CoreSeams(timers, thread(Executors.newFixedThreadPool(2)), () -> IDENTITY, stores));
    List<Pusher> pushers = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      pushers.add(new Pusher(core, thread(), i));
    }
    pushers.forEach(Pusher::begin);
    Set<TestBlock> pushed = new HashSet<>();
    for (Pusher pusher : pushers) {
      pushed.addAll(pusher.done.get(120, TimeUnit.SECONDS));
    }
    for (Pusher pusher : pushers) {
      assertThat(pusher.fetchAll()).doesNotHaveDuplicates().hasSameElementsAs(pushed);
    }
    core.shuffles().remove(SHUFFLE);
    for (Pusher pusher : pushers) {
      pusher.close();
    }
    assertThat(core.drain().get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(core.arena().chunkBytes()).isZero();
    assertThat(core.arena().budget().free()).isEqualTo(ARENA - 8 * CoreFixture.SEED);
    assertThat(failures).isEmpty();
    assertThat(core.stats().flushedUnits()).isPositive();
    timers.close();
    threads.forEach(ExecutorService::shutdown);
  }

  /** One event loop with one connection, which pushes as credit allows and fetches now and then. */
  private static final class Pusher {
    final CompletableFuture<Set<TestBlock>> done = new CompletableFuture<>();
    private final ExecutorService loop;
    private final TestPeer peer;
    private final SplittableRandom random;
    private final int number;
    private final Set<TestBlock> pushed = new HashSet<>();
    private int handle;
    private int next;
    private boolean wants;
    private long grantedBefore;

    Pusher(ServerCore core, ExecutorService loop, int number) throws Exception {
      this.loop = loop;
      this.number = number;
      this.random = new SplittableRandom(number);
      this.peer =
          CompletableFuture.supplyAsync(() -> new TestPeer(core, loop), loop)
              .get(60, TimeUnit.SECONDS);
    }

    void begin() {
      loop.execute(
          () -> {
            handle = peer.open(SHUFFLE, 5);
            step();
          });
    }

    private void step() {
      try {
        burst();
        peer.session.readComplete();
        if (next < BLOCKS_PER_LOOP) {
          loop.execute(this::step);
        } else {
          done.complete(pushed);
        }
      } catch (RuntimeException | Error e) {
        done.completeExceptionally(e);
      }
    }

    private void burst() {
      if (wants && peer.granted > grantedBefore) {
        wants = false;
      }
      for (int i = 0; i < 8 && !wants && next < BLOCKS_PER_LOOP; i++) {
        int stored = random.nextInt(12) == 0 ? random.nextInt(60_000) : random.nextInt(5_000);
        TestBlock block =
            new TestBlock(random.nextInt(PARTITIONS), next % 20, number, next, stored);
        boolean sent =
            random.nextBoolean() ? peer.push(handle, block) : peer.pushInParts(handle, block, 4000);
        if (sent) {
          pushed.add(block);
          next++;
        } else {
          wants = true;
          grantedBefore = peer.granted;
          peer.session.want(TransportLimits.charge(stored) + 100_000);
        }
      }
      if (random.nextInt(40) == 0) {
        TestPeer.Stream stream =
            peer.fetch(handle, 0, PARTITIONS, 0, Integer.MAX_VALUE, random.nextLong(500_000));
        if (random.nextBoolean()) {
          peer.cancel(stream);
        }
      }
    }

    List<TestBlock> fetchAll() throws Exception {
      CompletableFuture<TestPeer.Stream> begun =
          CompletableFuture.supplyAsync(
              () -> {
                TestPeer.Stream stream =
                    peer.fetch(handle, 0, PARTITIONS, 0, Integer.MAX_VALUE, 1L << 40);
                peer.session.readComplete();
                return stream;
              },
              loop);
      TestPeer.Stream stream = begun.get(60, TimeUnit.SECONDS);
      stream.over.get(60, TimeUnit.SECONDS);
      return stream.blocks();
    }

    void close() throws Exception {
      CompletableFuture.runAsync(peer::close, loop).get(60, TimeUnit.SECONDS);
    }
  }
}
