package io.sluice.benchmarks.wire;

import io.sluice.benchmarks.child.MeasuredChild;
import io.sluice.benchmarks.processors.Counted;
import io.sluice.benchmarks.processors.RoundTrip;
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
 * find code, memory and clock speed as warm. Who goes first changes with every pair. While the
 * machine's processors share no cache, there are more turns, up to {@value #TURNS_AT_MOST} times as
 * many. One thread's.
 */
final class WireTurns {
  private static final int TURNS_AT_MOST = 16;

  private final MeasuredChild server;
  private final MeasuredChild client;
  private final RoundTrip processors;
  private final List<Transport> transports;
  private final IntSupplier shuffles;
  private final Consumer<String> progress;

  /**
   * @param shuffles numbers of shuffles that the server has never seen
   */
  WireTurns(
      MeasuredChild server,
      MeasuredChild client,
      RoundTrip processors,
      List<Transport> transports,
      IntSupplier shuffles,
      Consumer<String> progress) {
    this.server = server;
    this.client = client;
    this.processors = processors;
    this.transports = transports;
    this.shuffles = shuffles;
    this.progress = progress;
  }

  /** What was measured, by transport and direction, one entry a turn. */
  record Measured(Map<Transport, Map<Direction, List<WireFigures>>> figures) {
    Measured() {
      this(new EnumMap<>(Transport.class));
    }

    private void add(Transport transport, Map<Direction, WireFigures> turn) {
      Map<Direction, List<WireFigures>> own =
          figures.computeIfAbsent(transport, t -> new EnumMap<>(Direction.class));
      turn.forEach(
          (direction, each) -> own.computeIfAbsent(direction, d -> new ArrayList<>()).add(each));
    }

    private boolean isEnough(int runs) {
      return !figures.isEmpty()
          && figures.values().stream()
              .flatMap(own -> own.values().stream())
              .allMatch(all -> Counted.areEnough(all, runs, WireFigures::lineNanos));
    }
  }

  /** Runs so many turns of each, or more, after some that are thrown away. */
  Measured run(WireCase shape, int warmups, int runs)
      throws ChildFailedException, InterruptedException {
    for (int i = 0; i < warmups; i++) {
      round(shape, i, "warming up", new Measured());
    }
    Measured measured = new Measured();
    for (int i = 0; i < TURNS_AT_MOST * runs && !measured.isEnough(runs); i++) {
      round(shape, i, "turn " + (i + 1), measured);
    }
    return measured;
  }

  private void round(WireCase shape, int number, String name, Measured measured)
      throws ChildFailedException, InterruptedException {
    for (int t = 0; t < transports.size(); t++) {
      Transport transport = transports.get((t + number) % transports.size());
      Map<Direction, WireFigures> turn = turn(transport);
      progress.accept(line(shape, transport, name, turn));
      measured.add(transport, turn);
    }
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
    double lineBefore = processors.nanos();
    Usage before = usage();
    Moved moved = Moved.parse(client.ask(command));
    Usage used = usage().since(before);
    return new WireFigures(moved, used, Math.max(lineBefore, processors.nanos()));
  }

  private Usage usage() throws ChildFailedException, InterruptedException {
    return Usage.parse(server.ask(WireServer.USAGE).split(" ", -1), 0);
  }

  private static String line(
      WireCase shape, Transport transport, String name, Map<Direction, WireFigures> turn) {
    StringBuilder line = new StringBuilder();
    line.append(shape).append(' ').append(WireReport.name(transport)).append(' ');
    line.append(name).append(':');
    turn.forEach(
        (direction, figures) ->
            line.append(
                String.format(
                    Locale.ROOT,
                    " %s %.2f GB/s, cpu-s/GB client %.2f server %.2f, line %.0f ns;",
                    direction,
                    figures.gbps(),
                    figures.cpuPerGb(WireFigures.Side.client),
                    figures.cpuPerGb(WireFigures.Side.server),
                    figures.lineNanos())));
    return line.toString();
  }
}
