package io.sluice.simulation.network;

import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import io.sluice.simulation.time.SimLoop;

/** Two endpoints, the two directions between them, and what may happen to all four. */
final class Connection {
  private final SimNetwork network;
  private final EventQueue events;
  private final Dice dice;
  private final Endpoint client;
  private final Endpoint server;
  private final Direction up;
  private final Direction down;
  private boolean silent;

  Connection(SimNetwork network, Side clientSide, Side serverSide, Dice dice, int number) {
    this.network = network;
    this.events = network.events();
    this.dice = dice;
    this.up = new Direction(this, events, dice, clientSide.host().process() + "↑" + number);
    this.down = new Direction(this, events, dice, serverSide.host().process() + "↓" + number);
    // Between a few small frames and a few data chunks.
    int highWater = (int) dice.skewed(1 << 10, 1 << 18);
    client =
        new Endpoint(
            clientSide.host(),
            clientSide.loop(),
            up,
            this,
            serverSide.host().process().toString(),
            highWater);
    server =
        new Endpoint(
            serverSide.host(),
            serverSide.loop(),
            down,
            this,
            clientSide.host().process().toString(),
            highWater);
  }

  Endpoint client() {
    return client;
  }

  Endpoint server() {
    return server;
  }

  NetworkFaults faults() {
    return network.faults();
  }

  boolean isOver() {
    return client.isClosed() && server.isClosed();
  }

  /** Whether anything gets through. */
  boolean carries() {
    return !silent;
  }

  /** Rolls for a fault of the whole connection; whether there was one. */
  boolean breaks() {
    if (dice.chance(faults().silence())) {
      silence();
      return true;
    }
    if (dice.chance(faults().reset())) {
      reset();
      return true;
    }
    return false;
  }

  /** Nothing gets through any more, and nobody is told. */
  void silence() {
    silent = true;
    network.count(Fault.SILENCE, client);
  }

  private void reset() {
    network.count(Fault.RESET, client);
    up.end();
    down.end();
    tellReset(client);
    tellReset(server);
  }

  private void tellReset(Endpoint endpoint) {
    long delay = dice.skewed(1, faults().maxDelayNanos());
    events.after(
        delay, endpoint, "reset", () -> onLoop(endpoint, () -> endpoint.reset("reset by peer")));
  }

  private static void onLoop(Endpoint endpoint, Runnable step) {
    endpoint.loop().process().run(step);
  }

  // ------------------------------------------------------------------------------ from directions

  private Endpoint sender(Direction direction) {
    return direction == up ? client : server;
  }

  private Endpoint receiver(Direction direction) {
    return direction == up ? server : client;
  }

  void taken(Direction direction) {
    Endpoint sender = sender(direction);
    onLoop(sender, sender::drained);
  }

  void flipped(Direction direction) {
    network.count(Fault.WIRE_FLIP, direction);
  }

  void deliver(Direction direction, byte[][] pieces) {
    Endpoint receiver = receiver(direction);
    onLoop(receiver, () -> receiver.read(pieces));
  }

  void stalls(Direction direction) {
    network.count(Fault.LONG_STALL, direction);
  }

  void finished(Direction direction) {
    Endpoint receiver = receiver(direction);
    onLoop(receiver, receiver::peerFinished);
  }

  // ------------------------------------------------------------------------------ from endpoints

  /** One side has closed its socket; the other one learns so, unless nothing gets through. */
  void closedBy(Endpoint endpoint) {
    Direction sending = endpoint == client ? up : down;
    Direction receiving = endpoint == client ? down : up;
    boolean delivered = dice.chance(0.5);
    sending.senderClosed(delivered);
    receiving.end();
    if (!delivered && !silent) {
      tellReset(endpoint == client ? server : client);
    }
    network.closed(this);
  }

  /**
   * A process has died.
   *
   * @param hostToo its machine went with it: nobody says so to the other side
   */
  void died(Endpoint endpoint, boolean hostToo) {
    silent |= hostToo;
    endpoint.die();
    closedBy(endpoint);
  }

  /** A process's end of a connection. */
  record Side(Host host, SimLoop loop) {}
}
