package io.sluice.server.flush;

/** How much a flush is needed. */
enum Demand {
  NONE,
  /** Only units that are full. */
  FULL_UNITS,
  /** Whatever there is. */
  ANYTHING
}
