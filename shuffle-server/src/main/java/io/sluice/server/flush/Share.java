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

  /** Whether another takes something that this one leaves. */
  boolean lacks(Share other) {
    return (other.includes(true) && !includes(true)) || (other.includes(false) && !includes(false));
  }
}
