package io.sluice.benchmarks;

/** A shuffle that can be a side; spelled as on the command line. */
enum Shuffle {
  /** Through Sluice's servers. */
  sluice,
  /** Spark's own, on local disks. */
  sort
}
