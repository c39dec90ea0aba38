package io.sluice.coordinator.membership;

import io.sluice.common.error.SluiceException;

/** The way to a connected server. Confined to the control thread; calls never block. */
public interface ServerChannel {
  /** Whether a directive sent now would leave at once. */
  boolean isReady();

  /** Sends, in order. After an end of the channel it does nothing. */
  void send(Directive directive);

  /** Ends the session; the server is to come back as the reason's code says. Idempotent. */
  void end(SluiceException reason);
}
