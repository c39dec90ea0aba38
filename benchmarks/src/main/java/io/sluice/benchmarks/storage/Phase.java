package io.sluice.benchmarks.storage;

/** What is timed; spelled as on the command line. In the order in which phases come. */
public enum Phase {
  /** From the first block pushed to the last one on the disk. */
  write,
  /** Writing as much again while everything written before is read. */
  mixed,
  /** Every partition fetched, nothing of it in memory. */
  read
}
