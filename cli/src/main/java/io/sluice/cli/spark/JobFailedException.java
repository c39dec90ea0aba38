package io.sluice.cli.spark;

/** Spark gave up a job. */
public final class JobFailedException extends Exception {
  private static final long serialVersionUID = 1;

  JobFailedException(String message) {
    super(message);
  }
}
