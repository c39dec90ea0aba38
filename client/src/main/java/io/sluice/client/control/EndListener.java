package io.sluice.client.control;

import io.sluice.common.error.SluiceException;

/** Told of an application's end, on the scheduler's thread; must not block. */
@FunctionalInterface
public interface EndListener {
  /**
   * The application is refused for good, such as one that an operator has ended: what it stored is
   * gone. Told once.
   *
   * @param reason the coordinator's, APPLICATION_ENDED
   */
  void ended(SluiceException reason);
}
