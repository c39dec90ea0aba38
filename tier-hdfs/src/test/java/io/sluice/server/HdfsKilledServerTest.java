package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.config.ConfigReader;
import io.sluice.common.id.ShuffleKey;
import io.sluice.server.config.ServerConfig;
import io.sluice.tier.hdfs.MiniHdfs;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A real server process is killed with SIGKILL; another serves what it had flushed to HDFS. */
class HdfsKilledServerTest {
  @RegisterExtension static final MiniHdfs HDFS = new MiniHdfs();

  private static final ShuffleKey SHUFFLE = CoreFixture.shuffle(4);
  private static final int PARTITIONS = 8;

  /** Of 6 KB each: fit the seed of 64 KiB together. */
  private static final int BLOCKS_PER_PUSH = 8;

  private static final int PUSHES = 400;

  /** Well below what is pushed less what may stay in memory. */
  private static final long FLUSHED_MIN = 8 << 20;

  private final Map<String, String> settings = new HashMap<>();

  @Test
  @Timeout(value = 3, unit = TimeUnit.MINUTES)
  void whatAKilledServerHadFlushedIsServedByTheOneThatIsNamedItsStandIn() throws Exception {
    try (FakeCoordinator coordinator = new FakeCoordinator()) {
      settings.put("server.memory", "320m");
      settings.put("server.port", "0");
      settings.put("server.http.port", "0");
      settings.put("server.host", "localhost");
      settings.put("server.event-loops", "1");
      settings.put("server.coordinators", coordinator.address().toString());
      settings.put("server.block.max", "64k");
      settings.put("server.disk.unit", "256k");
      settings.put("server.flush.start", "0.05");
      settings.put("server.hdfs.root", HDFS.newFolder().toString());
      List<TestBlock> pushed = new ArrayList<>();
      Killed dead = pushAndKill(coordinator, pushed);

      settings.put("server.hdfs.stand-in-for", dead.server());
      // This JVM's heap is not a server's.
      settings.put("server.memory", "1600m");
      try (ShuffleServer standIn = start();
          SocketClient client = new SocketClient(standIn.port())) {
        List<TestBlock> served =
            client.fetch(SHUFFLE, standIn.identity().incarnation(), PARTITIONS);

        assertThat(served).doesNotHaveDuplicates();
        assertThat(pushed).containsAll(served);
        assertThat(served.stream().mapToLong(TestBlock::length).sum())
            .isGreaterThanOrEqualTo(dead.flushedBytes());
      }
    }
  }

  /** A server that is no more, and what it had said to be flushed before. */
  private record Killed(String server, long flushedBytes) {}

  private Killed pushAndKill(FakeCoordinator coordinator, List<TestBlock> pushed)
      throws IOException, InterruptedException {
    Process process = startProcess();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      String line = out.readLine();
      assertThat(line).as("the server did not come up, see its errors above").isNotNull();
      String[] ready = line.split(" ");
      try (SocketClient client = new SocketClient(Integer.parseInt(ready[1]))) {
        for (int map = 0; map < PUSHES; map++) {
          List<TestBlock> blocks = blocks(map);
          client.push(SHUFFLE, blocks);
          pushed.addAll(blocks);
        }
        return new Killed(ready[3], awaitFlushed(coordinator, ready[2]));
      } finally {
        process.destroyForcibly().waitFor();
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static List<TestBlock> blocks(int map) {
    List<TestBlock> blocks = new ArrayList<>();
    for (int i = 0; i < BLOCKS_PER_PUSH; i++) {
      blocks.add(new TestBlock(i % PARTITIONS, map, map, 0, 6_000));
    }
    return blocks;
  }

  /** Looks again at every report of the server, until enough has been flushed. */
  private static long awaitFlushed(FakeCoordinator coordinator, String httpPort)
      throws IOException, InterruptedException {
    HttpClient http = HttpClient.newHttpClient();
    HttpRequest metrics =
        HttpRequest.newBuilder(URI.create("http://localhost:" + httpPort + "/metrics")).build();
    while (true) {
      coordinator.reports.clear();
      assertThat(coordinator.reports.poll(60, TimeUnit.SECONDS)).as("a report").isNotNull();
      long flushed =
          http.send(metrics, HttpResponse.BodyHandlers.ofLines())
              .body()
              .filter(line -> line.startsWith("sluice_server_flushed_bytes_total "))
              .mapToLong(line -> (long) Double.parseDouble(line.split(" ")[1]))
              .sum();
      if (flushed >= FLUSHED_MIN) {
        return flushed;
      }
    }
  }

  private ShuffleServer start() {
    return ShuffleServer.start(
        ServerConfig.from(
            new ConfigReader(List.of(ServerConfig.SECTION)).values("test", settings).read()));
  }

  private Process startProcess() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx64m", "-XX:MaxDirectMemorySize=320m", "-XX:+UseSerialGC"));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), ServerProcess.class.getName()));
    settings.forEach((name, value) -> command.add(name + "=" + value));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}
