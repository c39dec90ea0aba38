package io.sluice.simulation.time;

/**
 * Thrown out of a fake to kill the process that called it at that very instruction, half-way
 * through a write for instance. An error, so that no code under test mistakes it for a failure it
 * could handle.
 */
public final class ProcessKilled extends Error {
  private static final long serialVersionUID = 1;

  public ProcessKilled() {
    super("killed by the simulation", null, false, false);
  }
}
