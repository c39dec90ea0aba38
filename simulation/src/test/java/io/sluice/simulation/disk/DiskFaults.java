package io.sluice.simulation.disk;

/**
 * How bad a disk is; probabilities per operation of the store.
 *
 * @param maxDelayNanos longest duration of an operation; skewed towards zero
 * @param writeError of a write, a cut, or a catalog record
 * @param readError of a read
 * @param rot that after a write one bit somewhere on the disk is another one, or pages are zeros
 * @param small that a disk is so small that it fills up
 * @param death that the process is killed within a write
 */
public record DiskFaults(
    long maxDelayNanos,
    double writeError,
    double readError,
    double rot,
    double small,
    double death) {

  public DiskFaults healed() {
    return new DiskFaults(maxDelayNanos, 0, 0, 0, 0, 0);
  }
}
