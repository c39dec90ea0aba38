package io.sluice.client.connection;

import io.sluice.common.error.ErrorCode;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Empty frames, whose answer is that there is a connection. They need no credit, so they wait
 * behind no block that does. On the event loop only.
 */
final class Probes {
  private final ArrayDeque<PushFrame> waiting = new ArrayDeque<>();

  void add(PushFrame probe) {
    waiting.addLast(probe);
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Does something with each that waits. */
  void forEach(Consumer<PushFrame> action) {
    waiting.forEach(action);
  }

  /** There is a connection: frees them all. */
  void answer() {
    PushFrame probe;
    while ((probe = waiting.pollFirst()) != null) {
      probe.release();
    }
  }

  /** There is none, and will not be. */
  void fail(ErrorCode code, String what) {
    for (PushFrame probe : waiting) {
      if (!probe.owner().abandoned()) {
        Refusals.fail(probe, code, what);
      }
    }
    answer();
  }

  /** Frees those that nobody waits for. */
  void dropAbandoned() {
    waiting.removeIf(
        probe -> {
          boolean abandoned = probe.owner().abandoned();
          if (abandoned) {
            probe.release();
          }
          return abandoned;
        });
  }
}
