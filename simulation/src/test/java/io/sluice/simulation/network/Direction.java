package io.sluice.simulation.network;

import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.EventQueue;
import java.util.ArrayDeque;

/**
 * One direction of a connection: takes flushed bytes from the sender in pieces, carries them in
 * order, hands them to the receiver.
 */
final class Direction {
  private static final long LONGEST_TAKE_NANOS = 20_000;
  private static final long LONG_STALL_NANOS = 1_000_000_000;
  private static final int MOST_PIECES_PER_TAKE = 8;
  private static final int MOST_PIECES_PER_READ = 8;

  private final Connection connection;
  private final EventQueue events;
  private final Dice dice;
  private final Outbound outbound = new Outbound();
  private final BlockBytes blockBytes = new BlockBytes();
  private final ArrayDeque<byte[]> wire = new ArrayDeque<>();
  private final String name;
  private long wireBytes;
  private boolean taking;
  private boolean delivering;
  private boolean finishing;
  private boolean ended;

  Direction(Connection connection, EventQueue events, Dice dice, String name) {
    this.connection = connection;
    this.events = events;
    this.dice = dice;
    this.name = name;
  }

  Outbound outbound() {
    return outbound;
  }

  void flush() {
    outbound.flush();
    if (dice.chance(0.5)) {
      takeSoon();
    } else {
      // A socket with room takes bytes within the call.
      take();
    }
  }

  /** Nothing more will be written; the receiver learns so after the last byte. */
  void finish() {
    finishing = true;
    flush();
    deliverSoon();
  }

  /**
   * The sender has closed its socket: what the network had not taken is lost.
   *
   * @param delivered whether what is under way still arrives
   */
  void senderClosed(boolean delivered) {
    outbound.drop();
    if (delivered && !ended) {
      finishing = true;
      deliverSoon();
    } else {
      end();
    }
  }

  /** Nothing is delivered any more. */
  void end() {
    ended = true;
    wire.clear();
  }

  private boolean mayTake() {
    return !ended
        && outbound.flushed() > 0
        && wireBytes < connection.faults().windowBytes()
        && connection.carries();
  }

  private void takeSoon() {
    if (!taking && mayTake()) {
      taking = true;
      events.after(
          dice.skewed(1, LONGEST_TAKE_NANOS),
          this,
          "takes",
          () -> {
            taking = false;
            take();
          });
    }
  }

  private void take() {
    if (!mayTake()) {
      return;
    }
    // Some at a time: an event for each piece would be most of all events.
    for (int i = dice.between(1, MOST_PIECES_PER_TAKE); i > 0 && mayTake(); i--) {
      long room = connection.faults().windowBytes() - wireBytes;
      long most = Math.min(connection.faults().maxPieceBytes(), room);
      carry(outbound.take((int) Math.min(dice.skewed(1, most), outbound.flushed())));
    }
    takeSoon();
    connection.taken(this);
  }

  private void carry(byte[] piece) {
    boolean flip = dice.chance(connection.faults().flip());
    int victim = flip ? dice.between(0, piece.length - 1) : -1;
    if (blockBytes.next(piece, victim)) {
      piece[victim] ^= (byte) (1 << dice.between(0, Byte.SIZE - 1));
      connection.flipped(this);
    }
    wire.add(piece);
    wireBytes += piece.length;
    deliverSoon();
  }

  private void deliverSoon() {
    boolean something = !wire.isEmpty() || (finishing && outbound.isEmpty());
    if (delivering || ended || !something || !connection.carries()) {
      return;
    }
    delivering = true;
    NetworkFaults faults = connection.faults();
    long delay = dice.skewed(1, faults.maxDelayNanos());
    if (dice.chance(faults.stall())) {
      long stall = dice.between(1, faults.maxStallNanos());
      delay += stall;
      if (stall >= LONG_STALL_NANOS) {
        connection.stalls(this);
      }
    }
    events.after(delay, this, "delivers", this::deliver);
  }

  private void deliver() {
    delivering = false;
    if (ended || !connection.carries() || connection.breaks()) {
      return;
    }
    if (wire.isEmpty()) {
      if (finishing && outbound.isEmpty()) {
        end();
        connection.finished(this);
      }
      return;
    }
    int pieces = Math.min(wire.size(), dice.between(1, MOST_PIECES_PER_READ));
    byte[][] read = new byte[pieces][];
    for (int i = 0; i < pieces; i++) {
      read[i] = wire.remove();
      wireBytes -= read[i].length;
    }
    deliverSoon();
    takeSoon();
    connection.deliver(this, read);
  }

  @Override
  public String toString() {
    return name;
  }
}
