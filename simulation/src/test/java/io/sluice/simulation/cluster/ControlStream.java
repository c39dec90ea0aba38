package io.sluice.simulation.cluster;

import io.sluice.simulation.time.Dice;
import io.sluice.simulation.time.SimLoop;
import java.util.ArrayDeque;

/**
 * One direction of a gRPC stream: calls arrive in order, each after a while, until the stream ends.
 */
final class ControlStream {
  private final SimLoop receiver;
  private final Dice dice;
  private final long maxDelayNanos;
  private final ArrayDeque<Runnable> underWay = new ArrayDeque<>();
  private boolean ended;

  ControlStream(SimLoop receiver, Dice dice, long maxDelayNanos) {
    this.receiver = receiver;
    this.dice = dice;
    this.maxDelayNanos = maxDelayNanos;
  }

  /** Has a call arrive at the receiver. */
  void send(Runnable call) {
    if (ended) {
      return;
    }
    underWay.add(call);
    if (underWay.size() == 1) {
      deliverNext();
    }
  }

  private void deliverNext() {
    receiver
        .process()
        .events()
        .after(dice.skewed(1, maxDelayNanos), receiver, "hears", this::deliver);
  }

  private void deliver() {
    Runnable call = underWay.poll();
    if (call == null) {
      return;
    }
    if (!underWay.isEmpty()) {
      deliverNext();
    }
    receiver.process().run(call);
  }

  /** What is under way is lost; nothing more is sent. */
  void end() {
    ended = true;
    underWay.clear();
  }
}
