package io.sluice.client.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.sluice.client.ClientConfig;
import io.sluice.client.FixedPlacement;
import io.sluice.client.MapOutput;
import io.sluice.client.SluiceClient;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.Transport;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many clients in one process, as where Hadoop's local job runner runs a job of many tasks. */
@Timeout(60)
class SharedPoolConcurrencyTest {
  private static final int CLIENTS = 200;
  private static final int THREADS = 16;
  private static final int BLOCK = 200_000;

  /**
   * With a pool for each client it is one chunk of 4 MiB at least: 800 MiB. Less than half of that
   * leaves room for what the server holds, and for arenas and caches of as many threads as a
   * machine likes.
   */
  private static final long MOST = 384L << 20;

  @Test
  void clientsOfManyThreadsShareOnePoolOfBuffers() throws Exception {
    ExecutorService tasks = Executors.newFixedThreadPool(THREADS);
    Queue<SluiceClient> open = new ConcurrentLinkedQueue<>();
    try (HeapServer server =
        HeapServer.start(Transport.NETTY, 1, 0, new HeapServer.Store(), true)) {
      FixedPlacement placement =
          FixedPlacement.of(
              new ShuffleKey(ApplicationId.of(1, 2), 0, 0),
              1,
              List.of(server.placed()),
              1,
              new int[1]);
      long before = directBytes();
      List<Callable<Void>> writers = new ArrayList<>();
      for (int map = 0; map < CLIENTS; map++) {
        int index = map;
        writers.add(
            () -> {
              SluiceClient client = SluiceClient.open(ClientConfig.builder().eventLoops(1).build());
              open.add(client);
              write(client, placement, index);
              return null;
            });
      }
      for (Future<Void> written : tasks.invokeAll(writers)) {
        written.get();
      }
      assertThat(open).hasSize(CLIENTS);
      assertThat(directBytes() - before)
          .as("direct memory of " + CLIENTS + " open clients")
          .isBetween(1L, MOST);
    } finally {
      open.forEach(SluiceClient::close);
      tasks.shutdownNow();
    }
  }

  /** Netty counts what it allocates past the Java runtime, which counts the rest. */
  private static long directBytes() {
    long bytes = Math.max(0, PlatformDependent.usedDirectMemory());
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct")) {
        bytes += pool.getMemoryUsed();
      }
    }
    return bytes;
  }

  private static void write(SluiceClient client, FixedPlacement placement, int map)
      throws Exception {
    try (MapOutput output = client.openMapOutput(placement, map, map)) {
      ByteBuffer room = output.beginBlock(0, BLOCK);
      room.position(room.position() + BLOCK);
      output.endBlock(BLOCK, BLOCK, 1, BlockHeader.LAST);
      output.finish();
    }
  }
}
