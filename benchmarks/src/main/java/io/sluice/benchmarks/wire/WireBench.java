package io.sluice.benchmarks.wire;

import io.sluice.benchmarks.Arguments;
import io.sluice.benchmarks.child.MeasuredChild;
import io.sluice.benchmarks.processors.CacheLine;
import io.sluice.benchmarks.processors.Counted;
import io.sluice.benchmarks.processors.RoundTrip;
import io.sluice.benchmarks.wire.child.WireClient;
import io.sluice.benchmarks.wire.child.WireServer;
import io.sluice.benchmarks.wire.load.WireShuffle;
import io.sluice.cli.CommandFailedException;
import io.sluice.cli.DataSizeConverter;
import io.sluice.cli.ExitCode;
import io.sluice.cli.local.RunDirectory;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.report.JsonObject;
import io.sluice.cli.report.OutputOptions;
import io.sluice.cli.report.TextTable;
import io.sluice.common.config.DataSize;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What the data plane costs, and what it costs over gRPC. */
@Command(
    name = "wire",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Measures the data plane alone, between two processes over loopback.",
      "The server is a shuffle server's core without disks: a turn pushes prepared frames of"
          + " verified blocks into its memory, fetches them again, and drops them. Plain sockets and"
          + " gRPC take turns in the same two processes. CPU is of whole processes; garbage, what"
          + " Java threads allocate; system calls, those that read or write, as Linux counts them."
          + " The latency of a push is from handing a frame of 256 KiB over to the answer to its"
          + " last block, under full load; that of a fetch, from the request for a partition to"
          + " its end.",
      "Line ns is how long a cache line takes from one processor to another and back, measured"
          + " around each turn. A virtual machine's processors may share a cache at one moment and"
          + " none at the next: turns of 200 ns and more are left out and counted, for others, up to"
          + " sixteen times as many; if there are too few others, all count."
    })
public final class WireBench implements Callable<Integer> {
  private static final int CONNECTIONS_MAX = WireShuffle.PARTITIONS;
  private static final long BLOCK_MIN = 512;
  private static final long BLOCK_MAX = 2 << 20;
  private static final long MIB = 1 << 20;
  private static final Duration DEADLINE = Duration.ofMinutes(2);
  // For credit under way, headers, and ends of chunks.
  private static final long ARENA_MORE = 512 * MIB;
  private static final long OTHER_DIRECT = 512 * MIB;

  @Option(
      names = "--transports",
      split = ",",
      description = "netty, grpc",
      converter = TransportConverter.class,
      defaultValue = "netty,grpc",
      paramLabel = "NAME")
  private List<Transport> transports = List.of(Transport.values());

  @Option(
      names = "--block",
      split = ",",
      description = "one case for each, with commas; by default 16k,64k,1m",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private @Nullable List<DataSize> blocks;

  @Option(
      names = "--connections",
      split = ",",
      description = "one case for each, with commas; by default 1,16; at most " + CONNECTIONS_MAX,
      paramLabel = "N")
  private @Nullable List<Integer> connections;

  @Option(
      names = "--full",
      description = "all of 4k,16k,64k,256k,1m over 1,4,16,64 connections: half an hour")
  private boolean full;

  @Option(
      names = "--data",
      description = "of a turn, each way; held in the server's memory",
      converter = DataSizeConverter.class,
      paramLabel = "SIZE")
  private DataSize data = DataSize.parse("512m");

  @Option(names = "--loops", description = "event loops of each side", paramLabel = "N")
  private int loops = 1;

  @Option(names = "--runs", description = "measured turns of each transport", paramLabel = "N")
  private int runs = 5;

  @Option(
      names = "--warmups",
      description = "turns before those, thrown away: compilers are busy for about fifteen",
      paramLabel = "N")
  private int warmups = 20;

  @Mixin private final OutputOptions output = new OutputOptions();

  private final RoundTrip processors = new CacheLine();
  private final TextTable table = WireReport.table();
  private int shuffles;

  @Override
  public Integer call() throws Exception {
    List<WireCase> cases = cases();
    RunDirectory directory = RunDirectory.create("sluice-wire-", output.keep());
    try (ProcessGroup group = ProcessGroup.endedBySignals(directory::discard);
        MeasuredChild server = server(group, directory.path())) {
      int number = 0;
      for (WireCase shape : cases) {
        Path own = directory.path().resolve("client-" + number++);
        try (MeasuredChild client = client(group, shape, server.ready(), own)) {
          WireTurns turns =
              new WireTurns(
                  server, client, processors, transports, () -> ++shuffles, WireBench::say);
          report(shape, turns.run(shape, warmups, runs));
        }
      }
    }
    say("\nmedians of at least " + runs + ":\n" + table);
    return ExitCode.OK;
  }

  private List<WireCase> cases() {
    Arguments.atLeast(1, "--runs", runs);
    Arguments.atLeast(0, "--warmups", warmups);
    Arguments.atLeast(1, "--loops", loops);
    Arguments.atLeast(MIB, "--data", data.toBytes());
    List<WireCase> cases = new ArrayList<>();
    for (DataSize block : blocks()) {
      between("--block", block.toBytes(), BLOCK_MIN, BLOCK_MAX);
      for (int each : connections()) {
        between("--connections", each, 1, CONNECTIONS_MAX);
        cases.add(new WireCase(block.toIntBytes(), each, data.toBytes()));
      }
    }
    return cases;
  }

  private List<DataSize> blocks() {
    if (blocks != null) {
      return blocks;
    }
    String sizes = full ? "4k,16k,64k,256k,1m" : "16k,64k,1m";
    return Stream.of(sizes.split(",", -1)).map(DataSize::parse).toList();
  }

  private List<Integer> connections() {
    if (connections != null) {
      return connections;
    }
    return full ? List.of(1, 4, 16, 64) : List.of(1, 16);
  }

  private static void between(String option, long value, long least, long most) {
    Arguments.atLeast(least, option, value);
    if (value > most) {
      throw new CommandFailedException(
          ExitCode.USAGE, option + " must be at most " + most + ", not " + value);
    }
  }

  private MeasuredChild server(ProcessGroup group, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    long arena = (data.toBytes() * 3 / 2 + ARENA_MORE) / MIB * MIB;
    MeasuredChild.Program program =
        new MeasuredChild.Program(
            WireServer.class,
            flags(arena + OTHER_DIRECT),
            List.of(Long.toString(arena), Integer.toString(loops)));
    return MeasuredChild.start(group, program, directory.resolve("server"), DEADLINE);
  }

  private MeasuredChild client(ProcessGroup group, WireCase shape, String ports, Path directory)
      throws IOException, ChildFailedException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of(ports.split(" ", -1)));
    arguments.add(Integer.toString(shape.blockBytes()));
    arguments.add(Integer.toString(shape.connections()));
    arguments.add(Long.toString(shape.bytes()));
    arguments.add(Integer.toString(loops));
    MeasuredChild.Program program =
        new MeasuredChild.Program(WireClient.class, flags(OTHER_DIRECT), arguments);
    return MeasuredChild.start(group, program, directory, DEADLINE);
  }

  private static List<String> flags(long direct) {
    return List.of(
        "-Xms256m",
        "-Xmx256m",
        "-XX:MaxDirectMemorySize=" + direct / MIB + "m",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError");
  }

  private void report(WireCase shape, WireTurns.Measured measured) throws IOException {
    for (var byTransport : measured.figures().entrySet()) {
      for (var byDirection : byTransport.getValue().entrySet()) {
        WireReport report =
            new WireReport(
                shape,
                byTransport.getKey(),
                byDirection.getKey(),
                Counted.of(byDirection.getValue(), runs, WireFigures::lineNanos));
        report.addTo(table);
        for (JsonObject object : report.json()) {
          output.append(object + "\n");
        }
      }
    }
  }

  private static void say(String line) {
    System.out.println(line);
  }

  /** Lower case, as in configuration. */
  static final class TransportConverter implements ITypeConverter<Transport> {
    @Override
    public Transport convert(String text) {
      for (Transport transport : Transport.values()) {
        if (WireReport.name(transport).equals(text)) {
          return transport;
        }
      }
      throw new TypeConversionException("'" + text + "' is none of netty, grpc");
    }
  }
}
