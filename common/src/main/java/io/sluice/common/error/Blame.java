package io.sluice.common.error;

/** Who has to act for an error to go away. */
public enum Blame {
  /** The request was wrong, or no longer fits the state of things. */
  CALLER,
  /** Memory, disk, quota or servers are short; nobody did wrong. */
  CAPACITY,
  /** Sluice or the machine under it failed. */
  INTERNAL,
  /** Bytes are not what was written. */
  CORRUPTION
}
