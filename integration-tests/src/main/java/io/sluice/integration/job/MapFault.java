package io.sluice.integration.job;

/** What befalls some first attempts of map tasks in the middle of their rows. */
enum MapFault {
  NONE,
  /** The attempt throws; Spark retries it. */
  THROW,
  /** The executor's process dies as by SIGKILL, with everything it was doing. */
  HALT,
  /** The attempt stalls until a speculative copy has overtaken it, then goes on to its end. */
  STALL
}
