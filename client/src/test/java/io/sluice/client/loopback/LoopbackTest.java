package io.sluice.client.loopback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.ArrayExpectedMaps;
import io.sluice.client.BlockReader;
import io.sluice.client.ClientConfig;
import io.sluice.client.FixedPlacement;
import io.sluice.client.MapOutput;
import io.sluice.client.MissingBlocksException;
import io.sluice.client.PlacedServer;
import io.sluice.client.SluiceClient;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.Transport;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class LoopbackTest {
  private static final int PARTITIONS = 8;
  private static final int BLOCK = 40_000;

  @ParameterizedTest
  @EnumSource
  void tasksOfOneProcessShareConnections(Transport transport) throws Exception {
    HeapServer.Store store = new HeapServer.Store();
    int maps = 6;
    int blocks = 20;
    try (HeapServer one = HeapServer.start(transport, 1, 0, store, true);
        HeapServer two = HeapServer.start(transport, 2, 0, store, true);
        SluiceClient client = SluiceClient.open(over(transport))) {
      FixedPlacement placement = placement(one, two);
      List<Callable<Long>> writers = new ArrayList<>();
      for (int map = 0; map < maps; map++) {
        int index = map;
        writers.add(() -> write(client, placement, index, blocks));
      }
      runAll(writers);
      List<Callable<Long>> readers = new ArrayList<>();
      for (int partition = 0; partition < PARTITIONS; partition += 2) {
        int first = partition;
        readers.add(() -> read(client, placement, first, first + 2, maps));
      }
      assertThat(runAll(readers)).containsOnly(2L * maps * blocks);
    }
  }

  @ParameterizedTest
  @EnumSource
  void resendsWhatAServerHadNotAcknowledgedWhenItsConnectionEnded(Transport transport)
      throws Exception {
    HeapServer.Store store = new HeapServer.Store();
    HeapServer before = HeapServer.start(transport, 1, 0, store, true);
    try (SluiceClient client = SluiceClient.open(over(transport));
        MapOutput output = client.openMapOutput(placement(before), 0, 5)) {
      fill(output, 0, 0, 10);
      output.flush();
      // The same incarnation on the same port: a connection lost, not a server.
      int port = before.port();
      before.close();
      try (HeapServer after = HeapServer.start(transport, 1, port, store, true)) {
        fill(output, 0, 1, 10);
        output.finish();
        assertThat(read(client, placement(after), 0, 2, 1)).isEqualTo(20);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void namesTheServerThatCannotBeReached(Transport transport) {
    HeapServer.Store store = new HeapServer.Store();
    HeapServer gone = HeapServer.start(transport, 1, 0, store, true);
    PlacedServer placed = gone.placed();
    gone.close();
    ClientConfig config =
        ClientConfig.builder()
            .transport(transport)
            .reconnectDeadline(Duration.ofMillis(300))
            .build();
    try (SluiceClient client = SluiceClient.open(config);
        BlockReader reader =
            client.read(placement(placed), 0, 1, 0, Integer.MAX_VALUE, expected(0, 1, 3))) {
      assertThatThrownBy(reader::next)
          .isInstanceOfSatisfying(
              MissingBlocksException.class,
              missing -> {
                assertThat(missing.code()).isEqualTo(ErrorCode.CONNECT_FAILED);
                assertThat(missing.maps()).hasSize(3);
              })
          .hasMessageContaining(placed.id().toString());
    }
    try (SluiceClient client = SluiceClient.open(config);
        MapOutput output = client.openMapOutput(placement(placed), 0, 1)) {
      assertThatThrownBy(
              () -> {
                fill(output, 0, 0, 1);
                output.finish();
              })
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONNECT_FAILED))
          .hasMessageContaining(placed.id().toString());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aTaskThatWaitsForCreditCanBeInterrupted(Transport transport) throws Exception {
    HeapServer.Store store = new HeapServer.Store();
    try (HeapServer stingy = HeapServer.start(transport, 1, 0, store, false);
        SluiceClient client = SluiceClient.open(over(transport))) {
      Thread task = Thread.currentThread();
      ExecutorService other = Executors.newSingleThreadExecutor();
      try (MapOutput output = client.openMapOutput(placement(stingy), 0, 5)) {
        // More than the seed: the rest waits for a grant or refund that never comes.
        fill(output, 0, 0, (int) (HeapServer.SEED / BLOCK) + 10);
        Future<?> interrupter = other.submit(task::interrupt);
        assertThatThrownBy(output::finish).isInstanceOf(InterruptedException.class);
        interrupter.get(10, TimeUnit.SECONDS);
      } finally {
        other.shutdown();
      }
    }
  }

  @Test
  void aServerThatOffersNoGrpcIsGivenUpAtOnce() {
    HeapServer.Store store = new HeapServer.Store();
    try (HeapServer sockets = HeapServer.start(Transport.NETTY, 1, 0, store, true);
        SluiceClient client = SluiceClient.open(over(Transport.GRPC));
        MapOutput output = client.openMapOutput(placement(sockets), 0, 1)) {
      assertThatThrownBy(
              () -> {
                fill(output, 0, 0, 1);
                output.finish();
              })
          .isInstanceOfSatisfying(
              SluiceException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_CONFIGURATION))
          .hasMessageContaining("server.grpc.port");
    }
  }

  private static ClientConfig over(Transport transport) {
    return ClientConfig.builder().transport(transport).build();
  }

  private static FixedPlacement placement(HeapServer... servers) {
    PlacedServer[] placed = new PlacedServer[servers.length];
    for (int i = 0; i < servers.length; i++) {
      placed[i] = servers[i].placed();
    }
    return placement(placed);
  }

  private static FixedPlacement placement(PlacedServer... servers) {
    int[] assignment = new int[PARTITIONS];
    for (int p = 0; p < PARTITIONS; p++) {
      assignment[p] = p % servers.length;
    }
    ShuffleKey shuffle = new ShuffleKey(ApplicationId.of(4, 2), 1, 0);
    return FixedPlacement.of(shuffle, PARTITIONS, List.of(servers), 1, assignment);
  }

  private static long write(SluiceClient client, FixedPlacement placement, int map, int blocks)
      throws InterruptedException {
    try (MapOutput output = client.openMapOutput(placement, map, 100 + map)) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        fill(output, map, partition, blocks);
      }
      output.finish();
      return blocks;
    }
  }

  private static void fill(MapOutput output, int map, int partition, int blocks)
      throws InterruptedException {
    for (int i = 0; i < blocks; i++) {
      ByteBuffer payload = output.beginBlock(partition, BLOCK);
      while (payload.remaining() >= 4) {
        payload.putInt(map * 31 + partition);
      }
      output.endBlock(BLOCK, BLOCK, 1, i == blocks - 1 ? BlockHeader.LAST : 0);
    }
  }

  private static ArrayExpectedMaps expected(int first, int end, int maps) {
    ArrayExpectedMaps.Builder expected = ArrayExpectedMaps.builder(first, end);
    for (int map = 0; map < maps; map++) {
      int position = expected.add(map, maps == 1 ? 5 : 100 + map);
      for (int partition = first; partition < end; partition++) {
        expected.nonEmpty(position, partition);
      }
    }
    return expected.build();
  }

  /** Blocks read; each must hold what was written. */
  private static long read(
      SluiceClient client, FixedPlacement placement, int first, int end, int maps)
      throws InterruptedException {
    long blocks = 0;
    try (BlockReader reader =
        client.read(placement, first, end, 0, Integer.MAX_VALUE, expected(first, end, maps))) {
      BlockReader.Block block;
      while ((block = reader.next()) != null) {
        assertThat(block.payload().remaining()).isEqualTo(BLOCK);
        assertThat(block.payload().getInt()).isEqualTo(block.mapIndex() * 31 + block.partition());
        blocks++;
      }
    }
    return blocks;
  }

  private static List<Long> runAll(List<Callable<Long>> tasks) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(tasks.size());
    try {
      List<Long> results = new ArrayList<>();
      for (Future<Long> result : executor.invokeAll(tasks)) {
        results.add(result.get());
      }
      return results;
    } finally {
      executor.shutdownNow();
    }
  }
}
