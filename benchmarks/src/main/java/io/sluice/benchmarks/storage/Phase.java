package io.sluice.benchmarks.storage;

import java.util.List;

/** What is timed; spelled as on the command line. In the order in which phases come. */
public enum Phase {
  /** From the first block pushed to the last one on the disk. */
  write,
  /** Writing as much again while everything written before is read. */
  mixed,
  /** Every partition fetched, nothing of it in memory. */
  read,
  /**
   * Every partition fetched by all reduce tasks at once. What counts are a partition's bytes and
   * not what is made of them, so that the disk's speed bounds this as it does the others.
   */
  shared,
  /**
   * Every partition fetched in ranges of maps, a reduce task each, as AQE splits one that is much
   * larger than the others.
   */
  ranges;

  /** Those that belong to any comparison; the others are run when they are asked for. */
  public static final List<Phase> USUAL = List.of(write, mixed, read);

  /** Whether it pushes blocks. */
  public boolean writes() {
    return this == write || this == mixed;
  }

  /** Whether it fetches blocks. */
  public boolean reads() {
    return this != write;
  }
}
