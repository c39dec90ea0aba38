package org.apache.spark.shuffle.sluice.everyline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.ClientConfig;
import io.sluice.client.ClientSecurity;
import io.sluice.client.FixedPlacement;
import io.sluice.client.MapOutput;
import io.sluice.client.PlacedServer;
import io.sluice.client.ReaderMemory;
import io.sluice.client.placement.Placements;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.common.time.Clock;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext$;
import org.apache.spark.TaskContextImpl;
import org.apache.spark.TaskKilledException;
import org.apache.spark.shuffle.sluice.line.TaskKills;
import org.apache.spark.shuffle.sluice.store.ReadRange;
import org.apache.spark.shuffle.sluice.store.ServerStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tasks that have come to wait for a server, and then are killed by another thread, without an
 * interrupt. The server takes connections and says nothing, and no deadline is near: where Spark
 * tells of kills nothing else wakes them; elsewhere the next thing that happens is that the server
 * is lost.
 */
@Timeout(120)
class KilledTasksTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final int BLOCK_BYTES = 1_000;

  private final TaskContextImpl task = TaskContext$.MODULE$.empty();
  private final ServerSocket silent = new ServerSocket(0, 5, HERE);
  private final ServerStore store =
      ServerStore.open(
          ClientConfig.builder()
              .connectTimeout(LONG)
              .suspectAfter(LONG)
              .blockDeadline(LONG)
              .reconnectDeadline(Duration.ofMillis(100))
              .frameBytes(4096)
              .maxBlockBytes(BLOCK_BYTES)
              .maxInFlightBytes(3 * 4096)
              .build(),
          Placements.fixed(),
          ClientSecurity.off());
  private final PlacedServer server =
      new PlacedServer(ServerId.of(1, 1), 1, HERE.getHostAddress(), silent.getLocalPort());
  private final FixedPlacement placement =
      FixedPlacement.of(
          new ShuffleKey(ApplicationId.of(1, 2), 0, 0), 1, List.of(server), 1, new int[1]);
  private final CountDownLatch begun = new CountDownLatch(1);
  private Socket connection = new Socket();

  KilledTasksTest() throws IOException {}

  /** A task's wait. */
  private interface Wait {
    void begin() throws Exception;
  }

  @BeforeEach
  void noOtherTask() {
    TaskContext$.MODULE$.unset();
  }

  @AfterEach
  void close() throws IOException {
    loseServer();
    store.close();
  }

  private void loseServer() throws IOException {
    silent.close();
    connection.close();
  }

  @Test
  void aReaderEndsThatWaitsForBlocks() throws Exception {
    assertKilledWhileIn(this::read);
  }

  @Test
  void aMapEndsThatWaitsForAcknowledgements() throws Exception {
    assertKilledWhileIn(
        () -> {
          try (MapOutput output = store.openMapOutput(placement, 0, 1)) {
            push(output);
            begun.countDown();
            output.finish();
          }
        });
  }

  @Test
  void aMapEndsThatWaitsUntilItMayPushMore() throws Exception {
    assertKilledWhileIn(
        () -> {
          try (MapOutput output = store.openMapOutput(placement, 0, 1)) {
            begun.countDown();
            for (int blocks = 0; blocks < 100; blocks++) {
              push(output);
            }
          }
        });
  }

  private void read() throws InterruptedException {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(0, 1);
    expected.nonEmpty(expected.add(0, 0), 0);
    ReadRange range = new ReadRange(0, 1, 0, Integer.MAX_VALUE);
    try (BlockReader reader =
        store.read(placement, range, expected.build(), ReaderMemory.UNCOUNTED)) {
      begun.countDown();
      reader.next();
    }
  }

  private static void push(MapOutput output) throws InterruptedException {
    output.beginBlock(0, BLOCK_BYTES).put(new byte[BLOCK_BYTES]);
    output.endBlock(BLOCK_BYTES, BLOCK_BYTES, 1, 0);
  }

  private void assertKilledWhileIn(Wait wait) throws Exception {
    FutureTask<Boolean> ended =
        new FutureTask<>(
            () -> {
              TaskContext$.MODULE$.setTaskContext(task);
              wait.begin();
              return true;
            });
    Thread thread = new Thread(ended, "a task");
    thread.setDaemon(true);
    thread.start();
    connection = silent.accept();
    begun.await();
    awaitWaiting(thread);

    task.markInterrupted("on purpose");
    if (!TaskKills.areTold()) {
      assertThat(thread.getState()).as("nobody told it").isEqualTo(Thread.State.WAITING);
      loseServer();
    }
    assertThatThrownBy(() -> ended.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(TaskKilledException.class);
  }

  private static void awaitWaiting(Thread thread) {
    long deadline = Clock.system().nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (thread.getState() != Thread.State.WAITING) {
      assertThat(thread.isAlive()).as("it waits").isTrue();
      assertThat(Clock.system().nanoTime()).as("the deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }
}
