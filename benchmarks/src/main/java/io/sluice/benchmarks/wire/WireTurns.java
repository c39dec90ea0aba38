package io.sluice.benchmarks.wire;

import io.sluice.benchmarks.child.MeasuredChild;
import io.sluice.benchmarks.wire.child.WireClient;
import io.sluice.benchmarks.wire.child.WireServer;
import io.sluice.cli.process.ChildFailedException;
import io.sluice.transport.Transport;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * The transports in turns, in the same two processes: so that a pair is a second apart, and both
 * find code, memory and clock speed as warm. Who goes first changes with every pair. One thread's.
 */
final class WireTurns {
  private final MeasuredChild server;
  private final MeasuredChild client;
  private final List<Transport> transports;
  private final IntSupplier shuffles;
  private final Consumer<String> progress;

  /**
   * @param shuffles numbers of shuffles that the server has never seen
   */
  WireTurns(
      MeasuredChild server,
      MeasuredChild client,
      List<Transport> transports,
      IntSupplier shuffles,
      Consumer<String> progress) {
    this.server = server;
    this.client = client;
    this.transports = transports;
    this.shuffles = shuffles;
    this.progress = progress;
  }

  /** What was measured, by transport and direction, one entry a turn. */
  record Measured(Map<Transport, Map<Direction, List<WireFigures>>> figures) {
    Measured() {
      this(new EnumMap<>(Transport.class));
    }

    private void add(Transport transport, Direction direction, WireFigures turn) {
      figures
          .computeIfAbsent(transport, t -> new EnumMap<>(Direction.class))
          .computeIfAbsent(direction, d -> new ArrayList<>())
          .add(turn);
    }
  }

  /** Runs so many turns of each, after some that are thrown away. */
  Measured run(WireCase shape, int warmups, int runs)
      throws ChildFailedException, InterruptedException {
    Measured measured = new Measured();
    for (int i = -warmups; i < runs; i++) {
      for (int t = 0; t < transports.size(); t++) {
        Transport transport = transports.get(Math.floorMod(t + i, transports.size()));
        Map<Direction, WireFigures> turn = turn(transport);
        progress.accept(line(shape, transport, i, runs, turn));
        if (i >= 0) {
          turn.forEach((direction, figures) -> measured.add(transport, direction, figures));
        }
      }
    }
    return measured;
  }

  private Map<Direction, WireFigures> turn(Transport transport)
      throws ChildFailedException, InterruptedException {
    int shuffle = shuffles.getAsInt();
    client.ask(WireClient.OPEN + " " + transport + " " + shuffle);
    Map<Direction, WireFigures> turn = new EnumMap<>(Direction.class);
    turn.put(Direction.push, moved(WireClient.PUSH));
    turn.put(Direction.fetch, moved(WireClient.FETCH));
    client.ask(WireClient.CLOSE);
    server.ask(WireServer.REMOVE + " " + shuffle);
    return turn;
  }

  private WireFigures moved(String command) throws ChildFailedException, InterruptedException {
    Usage before = usage();
    Moved moved = Moved.parse(client.ask(command));
    return new WireFigures(moved, usage().since(before));
  }

  private Usage usage() throws ChildFailedException, InterruptedException {
    return Usage.parse(server.ask(WireServer.USAGE).split(" ", -1), 0);
  }

  private static String line(
      WireCase shape, Transport transport, int run, int runs, Map<Direction, WireFigures> turn) {
    StringBuilder line = new StringBuilder();
    line.append(shape).append(' ').append(WireReport.name(transport)).append(' ');
    line.append(run < 0 ? "warming up" : "turn " + (run + 1) + " of " + runs).append(':');
    turn.forEach(
        (direction, figures) ->
            line.append(
                String.format(
                    Locale.ROOT,
                    " %s %.2f GB/s, cpu-s/GB client %.2f server %.2f;",
                    direction,
                    figures.gbps(),
                    figures.cpuPerGb(WireFigures.Side.client),
                    figures.cpuPerGb(WireFigures.Side.server))));
    return line.toString();
  }
}
