package io.sluice.client.push;

import io.sluice.client.connection.PushFrame;
import io.sluice.common.error.SluiceException;

/** A frame whose unanswered blocks a server did not take, and why. */
final class ReturnedFrame {
  private final PushFrame frame;
  private final ServerLane lane;
  private final SluiceException why;

  ReturnedFrame(PushFrame frame, ServerLane lane, SluiceException why) {
    this.frame = frame;
    this.lane = lane;
    this.why = why;
  }

  PushFrame frame() {
    return frame;
  }

  /** Whose frame it was. */
  ServerLane lane() {
    return lane;
  }

  SluiceException why() {
    return why;
  }

  int capacity() {
    return frame.capacity();
  }

  void release() {
    frame.release();
  }
}
