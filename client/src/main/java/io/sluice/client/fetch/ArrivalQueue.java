package io.sluice.client.fetch;

import io.sluice.client.TaskSignal;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/** From event loops to one task. Bounded by the reader's credit: what is in it has been charged. */
final class ArrivalQueue {
  private final ConcurrentLinkedQueue<Arrival> queue = new ConcurrentLinkedQueue<>();
  private final TaskSignal signal;
  private volatile boolean closed;

  ArrivalQueue(TaskSignal signal) {
    this.signal = signal;
  }

  /** Any thread. */
  void offer(Arrival arrival) {
    queue.add(arrival);
    if (closed) {
      discardAll();
    } else {
      signal.signal();
    }
  }

  /** What is there now. */
  @Nullable Arrival poll() {
    return queue.poll();
  }

  boolean hasMore() {
    return !queue.isEmpty();
  }

  /** Waits for something to be there. */
  Arrival take() throws InterruptedException {
    Arrival arrival;
    while ((arrival = queue.poll()) == null) {
      signal.await();
    }
    return arrival;
  }

  /** Discards what is there and all that comes later. */
  void close() {
    closed = true;
    discardAll();
  }

  private void discardAll() {
    Arrival arrival;
    while ((arrival = queue.poll()) != null) {
      arrival.discard();
    }
  }
}
