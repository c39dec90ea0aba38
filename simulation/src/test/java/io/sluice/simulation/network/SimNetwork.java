package io.sluice.simulation.network;

import io.sluice.simulation.network.Connection.Side;
import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import io.sluice.simulation.time.SimLoop;
import io.sluice.transport.session.Output;
import io.sluice.transport.session.Protocol;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** All connections between all processes. */
public final class SimNetwork {
  private final EventQueue events;
  private final Dice dice;
  private final Map<String, Listener> listeners = new HashMap<>();
  private final List<Connection> connections = new ArrayList<>();
  private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
  private NetworkFaults faults;
  private int made;

  public SimNetwork(EventQueue events, Dice dice, NetworkFaults faults) {
    this.events = events;
    this.dice = dice;
    this.faults = faults;
  }

  EventQueue events() {
    return events;
  }

  NetworkFaults faults() {
    return faults;
  }

  /** No faults from here on; silent connections stay silent. */
  public void heal() {
    faults = faults.healed();
  }

  /** How often each fault has happened. */
  public Map<Fault, Integer> counts() {
    return counts;
  }

  /** Connections that are half-open, as far as neither side has found out and closed it. */
  public int halfOpen() {
    return (int) connections.stream().filter(connection -> !connection.carries()).count();
  }

  void count(Fault fault, Object where) {
    counts.merge(fault, 1, Integer::sum);
    events.trace().note(events.nanoTime(), where, fault.name());
  }

  /** Connections that at least one side has not closed. */
  public int openConnections() {
    return connections.size();
  }

  /** Takes connections at an address until the process dies. */
  public void listen(String address, Listener listener) {
    listeners.put(address, listener);
    listener.host().process().onDeath(() -> listeners.remove(address, listener));
  }

  /** Stops taking connections at an address. */
  public void unlisten(String address) {
    listeners.remove(address);
  }

  /**
   * Connects after a while.
   *
   * @param protocol made on the loop when the connection is there
   * @param refused told on the loop if there will be none
   */
  public void connect(
      Host host,
      SimLoop loop,
      String address,
      Function<Output, Protocol> protocol,
      Consumer<String> refused) {
    events.after(
        dice.skewed(1, faults.maxDelayNanos()),
        loop,
        "connects",
        () -> {
          Listener listener = listeners.get(address);
          if (loop.isStopped() || !host.process().isAlive()) {
            return;
          }
          if (listener == null || dice.chance(faults.reset())) {
            loop.process().run(() -> refused.accept("connection refused: " + address));
          } else {
            establish(new Side(host, loop), listener, protocol);
          }
        });
  }

  private void establish(Side clientSide, Listener listener, Function<Output, Protocol> protocol) {
    Side serverSide = new Side(listener.host(), listener.loops().apply(made));
    Connection connection = new Connection(this, clientSide, serverSide, dice.fork(), made++);
    connections.add(connection);
    clientSide.host().process().onDeath(() -> died(connection, connection.client()));
    serverSide.host().process().onDeath(() -> died(connection, connection.server()));
    start(serverSide, connection.server(), listener.protocol(), listener.tickNanos());
    start(clientSide, connection.client(), protocol, listener.tickNanos());
  }

  private static void start(
      Side side, Endpoint endpoint, Function<Output, Protocol> protocol, long tickNanos) {
    side.host().process().run(() -> endpoint.start(protocol.apply(endpoint), tickNanos));
  }

  private void died(Connection connection, Endpoint endpoint) {
    if (!endpoint.isClosed()) {
      connection.died(endpoint, dice.chance(faults.silence()));
    }
  }

  void closed(Connection connection) {
    if (connection.isOver()) {
      connections.remove(connection);
    }
  }

  /** Makes every connection of a process silent, as a pulled cable does. */
  public void isolate(Host host) {
    for (Connection connection : List.copyOf(connections)) {
      if (connection.client().host() == host || connection.server().host() == host) {
        connection.silence();
      }
    }
  }

  /** Closes the sockets of an event loop that ends. */
  public void closeAll(Host host, SimLoop loop) {
    for (Connection connection : List.copyOf(connections)) {
      for (Endpoint endpoint : List.of(connection.client(), connection.server())) {
        if (endpoint.host() == host && endpoint.loop() == loop) {
          endpoint.abort();
        }
      }
    }
  }

  /**
   * Who takes connections.
   *
   * @param loops the event loop of each connection, by its number
   * @param protocol the server's half over an output
   */
  public record Listener(
      Host host,
      Function<Integer, SimLoop> loops,
      Function<Output, Protocol> protocol,
      long tickNanos) {}
}
