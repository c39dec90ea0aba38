package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import io.sluice.common.time.ThreadScheduler;
import io.sluice.server.credit.CreditLimits;
import io.sluice.server.flush.FlushLimits;
import io.sluice.server.quota.QuotaLimits;
import io.sluice.server.replication.ReplicationLimits;
import io.sluice.transport.ConnectionCount;
import io.sluice.transport.ConnectionLimits;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.DataServer;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.Transport;
import io.sluice.transport.grpc.GrpcServer;
import io.sluice.transport.netty.EventLoops;
import io.sluice.transport.netty.NettyServer;
import io.sluice.transport.session.ServerAuthenticator;
import io.sluice.transport.session.ServerSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Peers that take nothing of what they ask for, over real sockets. */
@Timeout(90)
final class DeafReadersContractTest {
  private static final ServerIdentity IDENTITY = new ServerIdentity(ServerId.of(3, 4), 5);
  private static final long ARENA = 64L << 20;
  private static final int SEED = 2 << 20;
  private static final int BLOCK = 64_000;
  private static final int BLOCKS_OF_A_PUSH = 20;
  private static final ShuffleKey SHUFFLE = new ShuffleKey(ApplicationId.of(1, 2), 1, 0);
  private static final ShuffleKey OTHER = new ShuffleKey(ApplicationId.of(1, 3), 1, 0);

  private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final ThreadScheduler timers =
      new ThreadScheduler("timers", Clock.system(), (thread, failure) -> failures.add(failure));
  private final ExecutorService disk = Executors.newSingleThreadExecutor();
  private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
  private final EventLoops loops = EventLoops.open("deaf", 2, alloc, Clock.system());
  private final ServerCore core =
      new ServerCore(
          new CoreSettings(
              new CoreSettings.Memory(ARENA, 16 << 20),
              4 << 20,
              new CoreSettings.Reads(256 * 1024, 4),
              new CreditLimits(SEED, 8, 1 << 20, SEED, millis(20_000), millis(20_000)),
              FlushLimits.ofArena(ARENA, 0.9, 4 << 20, 1_000_000),
              QuotaLimits.NONE,
              ReplicationLimits.NONE),
          new CoreSeams(
              timers, disk, () -> IDENTITY, List.of(new MemoryStore("d", 4 << 20, disk))));

  // Nothing else would end a peer that pings: it is heard of all the time.
  private final ServerSettings settings =
      new ServerSettings(
          () -> IDENTITY,
          ServerAuthenticator.none(),
          ConnectionLimits.of(64, 1 << 20),
          new ConnectionTimeouts(
              millis(10_000), millis(1_000), millis(4_000), millis(60_000), millis(1_000)),
          true);

  private final List<DeafReader> deaf = new ArrayList<>();

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @AfterEach
  void stop() throws Exception {
    for (DeafReader reader : deaf) {
      reader.close();
    }
    loops.close();
    timers.close();
    disk.shutdown();
    assertThat(failures).isEmpty();
    assertThat(alloc.metric().usedDirectMemory()).isZero();
  }

  private DataServer bind(Transport transport) {
    InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    ConnectionCount count = new ConnectionCount(64);
    return transport == Transport.NETTY
        ? NettyServer.bind(loops, any, settings, core, count)
        : GrpcServer.bind(loops, any, settings, core, count);
  }

  private void await(String what, BooleanSupplier condition) throws Exception {
    long deadline = Clock.system().nanoTime() + millis(30_000);
    while (!condition.getAsBoolean()) {
      assertThat(Clock.system().nanoTime()).as("%s: %s", what, core.leases()).isLessThan(deadline);
      loops.group().schedule(() -> {}, 10, TimeUnit.MILLISECONDS).get();
    }
  }

  private static List<TestBlock> push(SocketClient client, ShuffleKey shuffle, int pushes) {
    List<TestBlock> blocks = new ArrayList<>();
    for (int i = 0; i < pushes; i++) {
      List<TestBlock> some = new ArrayList<>();
      for (int map = i * BLOCKS_OF_A_PUSH; map < (i + 1) * BLOCKS_OF_A_PUSH; map++) {
        some.add(new TestBlock(0, map, map, 0, BLOCK));
      }
      client.push(shuffle, some);
      blocks.addAll(some);
    }
    return blocks;
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void whoTakesNothingIsCutOffAndItsLeasesEnd(Transport transport) throws Exception {
    DataServer server = bind(transport);
    int port = server.address().getPort();
    try (SocketClient writer = new SocketClient(transport, port)) {
      List<TestBlock> blocks = push(writer, SHUFFLE, 24);
      List<TestBlock> others = push(writer, OTHER, 2);
      assertThat(core.stats().flushedUnits()).isZero();
      // 30 MB, of which sockets take 6 at most, and for each reader another part of them.
      for (int i = 0; i < 8; i++) {
        int first = i * 3 * BLOCKS_OF_A_PUSH;
        FetchRequest all =
            new FetchRequest(0, 0, 0, 1, first, first + 3 * BLOCKS_OF_A_PUSH, 1L << 30);
        deaf.add(new DeafReader(transport, port, SHUFFLE, all));
      }
      await("nothing is leased", () -> core.leases().leased() > 0);
      assertThat(writer.fetch(OTHER, 5, 1)).containsExactlyInAnyOrderElementsOf(others);
      await(
          "those who take nothing hold what they have",
          () -> {
            deaf.forEach(DeafReader::ping);
            return core.stats().connections() == 1 && core.leases().leased() == 0;
          });
      assertThat(core.leases().waiting()).isZero();
      assertThat(writer.fetch(SHUFFLE, 5, 1)).containsExactlyInAnyOrderElementsOf(blocks);
    } finally {
      server.close();
    }
    core.shuffles().remove(SHUFFLE);
    core.shuffles().remove(OTHER);
    assertThat(core.arena().chunkBytes()).isZero();
  }
}
