package io.sluice.server.flush;

/** How fit a store is to take a unit, best first. */
enum Fitness {
  /** Works and has room. */
  FIT,
  /** Works, but is used above its watermark. */
  CROWDED,
  /** Works, but takes seconds for a unit. */
  SLOW,
  /** Works, but has no room left for a unit: trying can only find that out. */
  FULL,
  /** Has failed, and its pause is not over. */
  FAILED
}
