package io.sluice.coordinator.rest;

/** What somebody may do. */
public enum Role {
  /** Only what anybody may see: the interface's own description. */
  NOBODY,
  /** Look at everything but secrets, which nobody sees. */
  READER,
  /** Change things too. */
  ADMIN;

  boolean includes(Role needed) {
    return compareTo(needed) >= 0;
  }
}
