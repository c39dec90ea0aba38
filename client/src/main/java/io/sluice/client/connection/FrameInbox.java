package io.sluice.client.connection;

import io.sluice.common.error.SluiceException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Frames on their way from task threads to the event loop, with one wake-up for many. Bounded by
 * what each map output may have in flight.
 */
final class FrameInbox {
  private final ConcurrentLinkedQueue<PushFrame> frames = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean woken = new AtomicBoolean();

  /**
   * Takes ownership of a frame. Any thread.
   *
   * @return whether the caller has to wake the event loop
   */
  boolean add(PushFrame frame) {
    frames.add(frame);
    return woken.compareAndSet(false, true);
  }

  /** Hands all frames on, and asks to be woken for the next. On the event loop. */
  void takeAll(Consumer<PushFrame> out) {
    woken.set(false);
    PushFrame frame;
    while ((frame = frames.poll()) != null) {
      out.accept(frame);
    }
  }

  /** Fails and frees what is there; who adds more is asked to wake again. Any thread. */
  void refuseAll(SluiceException cause) {
    woken.set(false);
    PushFrame frame;
    while ((frame = frames.poll()) != null) {
      frame.owner().failed(cause);
      frame.release();
    }
  }
}
