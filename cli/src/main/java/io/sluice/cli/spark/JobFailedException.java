package io.sluice.cli.spark;

/** An engine gave up a job. */
public final class JobFailedException extends Exception {
  private static final long serialVersionUID = 1;

  public JobFailedException(String message) {
    super(message);
  }
}
