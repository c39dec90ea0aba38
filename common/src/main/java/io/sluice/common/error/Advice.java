package io.sluice.common.error;

/** What the caller of a failed operation may do. */
public enum Advice {
  /** The same request at the same place may succeed. */
  RETRY_HERE,
  /** Another server, replica or coordinator may succeed. */
  RETRY_ELSEWHERE,
  /** The data is gone or bad: the engine must produce it again. */
  RECOMPUTE,
  /** Nothing but a change of request, configuration or code helps. */
  ABORT
}
