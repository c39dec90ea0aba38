package io.sluice.simulation.invariant;

/** What must hold, whatever happens within the stated budget of failures. */
public enum Invariant {
  /**
   * A reader finds every block of the winning attempts, or says that it does not: never too few
   * rows, silently.
   */
  ACKNOWLEDGED_BLOCKS_ARE_READABLE,
  /**
   * What a reader reports missing was touched by a failure that excuses it, and is all there is.
   */
  ONLY_WHAT_WAS_LOST_IS_MISSING,
  /**
   * A server that was stopped in order, and says that nothing is lost, has every block that any of
   * its lives since then acknowledged.
   */
  AN_INTACT_LIFE_HAS_EVERYTHING,
  /** No block is delivered twice, and none of a losing attempt. */
  EXACTLY_ONCE,
  /** Every byte delivered is the byte written; a record that spans blocks comes in order. */
  NO_WRONG_BYTES,
  /**
   * A shuffle has one history of epochs, which only grows, and everybody is told the same; a
   * server's incarnation only grows, and each life has a new one.
   */
  EPOCHS_ARE_MONOTONIC,
  /**
   * A coordinator gives no placement away if another one's term had begun when it was asked,
   * whatever it believes itself.
   */
  NO_PLACEMENT_OF_A_FENCED_LEADER,
  /** Memory promised is memory accounted: chunks in use fit what was taken from the budget. */
  RESERVATIONS_EQUAL_ACCOUNTED_BYTES,
  /** Neither side ever sees the other one break the protocol, credit first of all. */
  CREDIT_CONSERVED,
  /** When an application is over, nothing of it is left: memory, segments, leases, buffers. */
  NOTHING_LEFT_AFTER_EXPIRY,
  /** When the faults have ended, the job completes within bounded events and virtual time. */
  EVENTUALLY_QUIET,
  /** Nobody waits for something that will not come. */
  NO_STRANDED_WAITER,
  /** No task, callback or event loop throws what nobody expects; nothing is logged as an error. */
  NO_UNEXPECTED_FAILURE
}
