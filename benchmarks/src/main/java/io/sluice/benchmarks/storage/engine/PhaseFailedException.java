package io.sluice.benchmarks.storage.engine;

/** The engine did not do what it was measured for: data differ, or did not reach the disk. */
public final class PhaseFailedException extends Exception {
  private static final long serialVersionUID = 1;

  PhaseFailedException(String message) {
    super(message);
  }

  PhaseFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
