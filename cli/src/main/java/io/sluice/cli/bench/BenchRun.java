package io.sluice.cli.bench;

import io.sluice.cli.bench.BenchReport.OfServer;
import io.sluice.cli.bench.BenchReport.Phase;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.client.ClientConfig;
import io.sluice.client.PlacedServer;
import io.sluice.client.ShufflePlacement;
import io.sluice.client.SluiceClient;
import io.sluice.client.control.RegisteredApplication;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One load written and read back, on a placement that is there. By one thread and its crews. */
final class BenchRun {
  /**
   * What all clients together may have on its way: half of the direct memory that a command's JVM
   * has by bin/sluice (256 MiB), the rest being the pools' slack and connections.
   */
  static final long IN_FLIGHT_BYTES = 128L << 20;

  private static final double NANOS_PER_SECOND = 1e9;

  private final Load load;
  private final int clients;
  private final long seed;
  private final Consumer<String> progress;
  private final Clock clock = Clock.system();

  /**
   * @param seed of the bytes
   * @param progress told what happens now
   */
  BenchRun(Load load, int clients, long seed, Consumer<String> progress) {
    this.load = load;
    this.clients = clients;
    this.seed = seed;
    this.progress = progress;
  }

  /**
   * How many clients have memory for two blocks and two frames each, which is what they need.
   *
   * @param blockBytes of the largest block
   */
  static int clientsMax(int blockBytes) {
    return (int) (IN_FLIGHT_BYTES / inFlightMin(blockBytes));
  }

  private static long inFlightMin(int blockBytes) {
    int frame = ClientConfig.defaults().frameBytes();
    return 2L * Math.max(frame, blockBytes + BlockHeader.LENGTH);
  }

  /** Limits with which all clients together stay within their memory. */
  ClientConfig limits() {
    ClientConfig usual = ClientConfig.defaults();
    long each = IN_FLIGHT_BYTES / clients;
    return ClientConfig.builder()
        .maxBlockBytes(load.blockBytes())
        .maxInFlightBytes(Math.min(usual.maxInFlightBytes(), each))
        .readerCreditBytes(Math.min(usual.readerCreditBytes(), each))
        .build();
  }

  /** Who places the run's shuffle anew where a server is to be left; to be closed. */
  BenchEpochs epochs(RegisteredApplication application) {
    return new BenchEpochs(application, progress);
  }

  BenchReport run(SluiceClient client, ShufflePlacement placement) throws InterruptedException {
    Pattern pattern = new Pattern(seed);
    Traffic traffic = new Traffic(client, placement, load, pattern);
    Probes probes = new Probes(client, placement, load, pattern, clock);
    int servers = placement.servers().size();
    progress.accept("writing to " + (servers == 1 ? "1 server" : servers + " servers"));
    Phase write = write(traffic, probes);
    progress.accept("reading, and comparing every byte");
    Stopwatch reading = new Stopwatch();
    Crew.run("bench-reader", Collections.nCopies(clients, () -> traffic.read(probes)));
    Phase read = reading.phase(load.bytes() + probes.bytes());
    Latencies all = new Latencies();
    probes.latencies().forEach(all::addAll);
    int replicas = placement.replicas(0);
    return new BenchReport(
        load,
        replicas,
        clients,
        seed,
        write,
        read,
        all,
        probes.bytes(),
        servers(placement, probes));
  }

  private Phase write(Traffic traffic, Probes probes) throws InterruptedException {
    AtomicInteger writing = new AtomicInteger(clients);
    AtomicReference<@Nullable Phase> written = new AtomicReference<>();
    Pace pace = new Pace();
    Stopwatch watch = new Stopwatch();
    List<Crew.Work> works =
        new ArrayList<>(
            Collections.nCopies(
                clients,
                () -> {
                  traffic.write(pace);
                  if (writing.decrementAndGet() == 0) {
                    // Now, and not when the last block alone is back and the threads are gone.
                    written.set(watch.phase(load.bytes() + probes.bytes()));
                    pace.end();
                  }
                }));
    works.add(() -> probes.run(pace));
    Crew.run("bench-writer", works);
    return Objects.requireNonNull(written.get());
  }

  private List<OfServer> servers(ShufflePlacement placement, Probes probes) {
    int count = placement.servers().size();
    int[] partitions = new int[count];
    long[] written = new long[count];
    int replicas = placement.replicas(0);
    for (int partition = 0; partition < placement.partitions(); partition++) {
      for (int replica = 0; replica < replicas; replica++) {
        int server = placement.server(0, partition, replica);
        partitions[server]++;
        written[server] += load.bytesOf(partition);
      }
    }
    List<OfServer> servers = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      PlacedServer server = placement.servers().get(i);
      Latencies own = probes.latencies().get(i);
      long read = replicas > 1 ? -1 : written[i] + (long) own.size() * load.blockBytes();
      servers.add(
          new OfServer(
              server.id().toString(),
              server.host() + ":" + server.port(),
              partitions[i],
              written[i],
              read,
              own));
    }
    return servers;
  }

  /** Time and processor time from here on. */
  private final class Stopwatch {
    private final double cpuBefore = cpuSeconds();
    private final long start = clock.nanoTime();

    /** What it came to until this moment. */
    Phase phase(long bytes) {
      double seconds = (clock.nanoTime() - start) / NANOS_PER_SECOND;
      return new Phase(bytes, seconds, cpuSeconds() - cpuBefore);
    }

    private static double cpuSeconds() {
      return ProcessUsage.of(ProcessHandle.current())
          .map(ProcessUsage::cpuSeconds)
          .orElse(Double.NaN);
    }
  }
}
