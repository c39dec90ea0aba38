package io.sluice.benchmarks.crowded;

import io.sluice.benchmarks.child.MeasuredChild;
import io.sluice.benchmarks.crowded.child.CrowdedClient;
import io.sluice.benchmarks.crowded.child.CrowdedServer;
import io.sluice.benchmarks.crowded.child.ServerSpec;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.cli.process.ProcessGroup;
import io.sluice.cli.process.ProcessUsage;
import io.sluice.cli.service.ServerJvm;
import io.sluice.common.config.DataSize;
import io.sluice.transport.Transport;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A server and clients, in processes of their own. One thread's. */
final class CrowdedPair implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofMinutes(5);

  private final MeasuredChild server;
  private final MeasuredChild client;

  private CrowdedPair(MeasuredChild server, MeasuredChild client) {
    this.server = server;
    this.client = client;
  }

  /**
   * Starts both.
   *
   * @param logs for those of both
   * @param clientHeapMib for its connections
   */
  static CrowdedPair start(
      ProcessGroup group, ServerSpec spec, Path logs, Load load, int clientHeapMib)
      throws IOException, ChildFailedException, InterruptedException {
    MeasuredChild.Program serverProgram =
        new MeasuredChild.Program(
            CrowdedServer.class,
            ServerJvm.flags(DataSize.parse(spec.memoryMib() + "m")),
            spec.arguments());
    MeasuredChild server =
        MeasuredChild.start(group, serverProgram, logs.resolve("server-log"), DEADLINE);
    Transport transport = spec.grpc() ? Transport.GRPC : Transport.NETTY;
    MeasuredChild.Program clientProgram =
        new MeasuredChild.Program(
            CrowdedClient.class,
            List.of("-Xmx" + clientHeapMib + "m", "-XX:MaxDirectMemorySize=4g", "-XX:+UseSerialGC"),
            List.of(
                server.ready(),
                transport.name(),
                Integer.toString(load.blockBytes),
                Integer.toString(load.partitions)));
    return new CrowdedPair(
        server, MeasuredChild.start(group, clientProgram, logs.resolve("client-log"), DEADLINE));
  }

  /** What is pushed. */
  record Load(int blockBytes, int partitions) {}

  /** Has the client do something that is measured. */
  CrowdedFigures measure(String command) throws ChildFailedException, InterruptedException {
    return CrowdedFigures.parse(client.ask(command));
  }

  /** Has the client do something. */
  void ask(String command) throws ChildFailedException, InterruptedException {
    client.ask(command);
  }

  /** Has the server drop what an application pushed. */
  void remove(int application) throws ChildFailedException, InterruptedException {
    server.ask(CrowdedServer.REMOVE + " " + application);
  }

  /** The most memory that the server had in RAM so far, in bytes. */
  long serverPeakBytes() {
    return ProcessHandle.of(server.pid())
        .flatMap(ProcessUsage::of)
        .orElse(ProcessUsage.NONE)
        .peakResidentBytes();
  }

  @Override
  public void close() {
    client.close();
    server.close();
  }
}
