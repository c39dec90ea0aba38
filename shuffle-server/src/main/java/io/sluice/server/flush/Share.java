package io.sluice.server.flush;

/** Which partitions a store takes just now. */
enum Share {
  NOTHING,
  /** All but huge ones. */
  ORDINARY,
  HUGE,
  ALL;

  boolean includes(boolean huge) {
    return this == ALL || this == (huge ? HUGE : ORDINARY);
  }
}
