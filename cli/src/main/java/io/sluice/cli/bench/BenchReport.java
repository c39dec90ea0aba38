package io.sluice.cli.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.cli.report.TextTable;
import io.sluice.cli.report.Units;
import java.util.List;
import java.util.Locale;

/**
 * What a run came to. Megabytes and gigabytes are millions and billions of bytes.
 *
 * @param replicas of each block
 * @param seed repeats the same bytes
 * @param acknowledged of probes at all servers
 * @param probeBytes that they were, each once
 */
record BenchReport(
    Load load,
    int replicas,
    int clients,
    long seed,
    Phase write,
    Phase read,
    Latencies acknowledged,
    long probeBytes,
    List<OfServer> servers) {
  private static final double MEGA = 1e6;
  private static final double GIGA = 1e9;
  private static final double P50 = 0.5;
  private static final double P99 = 0.99;

  /**
   * One way.
   *
   * @param bytes that the clients wrote or read, each once
   * @param cpuSeconds that this process took; NaN where nobody counts them
   */
  record Phase(long bytes, double seconds, double cpuSeconds) {
    double megabytesPerSecond() {
      return bytes / MEGA / seconds;
    }

    double cpuSecondsPerGigabyte() {
      return cpuSeconds / (bytes / GIGA);
    }
  }

  /**
   * One server's part.
   *
   * @param partitions that it has a replica of
   * @param written bytes, each replica counted where it is
   * @param read bytes; negative if partitions have replicas, of which a client reads any
   */
  record OfServer(
      String id, String address, int partitions, long written, long read, Latencies probes) {}

  ObjectNode json() {
    ObjectNode all =
        new ObjectMapper()
            .createObjectNode()
            .put("bytes", load.bytes())
            .put("block_bytes", load.blockBytes())
            .put("partitions", load.partitions())
            .put("maps", load.maps())
            .put("replicas", replicas)
            .put("clients", clients)
            .put("seed", seed)
            .put("verified", true);
    phase(all.putObject("write"), write);
    phase(all.putObject("read"), read);
    ObjectNode alone = all.putObject("acknowledged");
    acknowledged(alone, acknowledged);
    alone.put("bytes", probeBytes);
    for (OfServer server : servers) {
      ObjectNode one =
          all.withArray("servers")
              .addObject()
              .put("server", server.id())
              .put("address", server.address())
              .put("partitions", server.partitions())
              .put("written_bytes", server.written());
      number(one, "write_mb_per_s", server.written() / MEGA / write.seconds());
      number(one, "read_mb_per_s", readRate(server));
      acknowledged(one.putObject("acknowledged"), server.probes());
    }
    return all;
  }

  private static void phase(ObjectNode into, Phase phase) {
    into.put("bytes", phase.bytes());
    number(into, "seconds", phase.seconds());
    number(into, "mb_per_s", phase.megabytesPerSecond());
    number(into, "cpu_s_per_gb", phase.cpuSecondsPerGigabyte());
  }

  private static void acknowledged(ObjectNode into, Latencies times) {
    number(into, "p50_ms", times.millis(P50));
    number(into, "p99_ms", times.millis(P99));
    into.put("blocks", times.size());
  }

  /** What is no number is null. */
  private static void number(ObjectNode into, String name, double value) {
    if (Double.isFinite(value)) {
      into.put(name, Math.round(value * 1_000) / 1_000.0);
    } else {
      into.putNull(name);
    }
  }

  private double readRate(OfServer server) {
    return server.read() < 0 ? Double.NaN : server.read() / MEGA / read.seconds();
  }

  String table() {
    TextTable whole =
        new TextTable("", "BYTES", "SECONDS", "MB/S", "CPU-S/GB")
            .add(row("write", write))
            .add(row("read", read));
    TextTable each =
        new TextTable(
            "SERVER",
            "ADDRESS",
            "PARTITIONS",
            "WRITTEN",
            "WRITE MB/S",
            "READ MB/S",
            "P50 MS",
            "P99 MS",
            "OF BLOCKS");
    for (OfServer server : servers) {
      each.add(
          server.id(),
          server.address(),
          Integer.toString(server.partitions()),
          Units.bytes(server.written()),
          figure(server.written() / MEGA / write.seconds()),
          figure(readRate(server)),
          figure(server.probes().millis(P50)),
          figure(server.probes().millis(P99)),
          Integer.toString(server.probes().size()));
    }
    return String.format(
            Locale.ROOT,
            "%d maps x %d partitions, %s blocks, %s, %d clients: every byte is as it was written%n%n",
            load.maps(),
            load.partitions(),
            Units.bytes(load.blockBytes()),
            replicas == 1 ? "1 replica" : replicas + " replicas",
            clients)
        + whole
        + String.format(
            Locale.ROOT,
            "%na block alone, until it is acknowledged: p50 %s ms, p99 %s ms, of %d (%s beside the load)%n%n",
            figure(acknowledged.millis(P50)),
            figure(acknowledged.millis(P99)),
            acknowledged.size(),
            Units.bytes(probeBytes))
        + each;
  }

  private static String[] row(String name, Phase phase) {
    return new String[] {
      name,
      Units.bytes(phase.bytes()),
      Units.seconds(phase.seconds()),
      figure(phase.megabytesPerSecond()),
      figure(phase.cpuSecondsPerGigabyte())
    };
  }

  private static String figure(double value) {
    return Units.ratio(value);
  }
}
