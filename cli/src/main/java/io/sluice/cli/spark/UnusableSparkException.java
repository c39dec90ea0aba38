package io.sluice.cli.spark;

/** There is no Spark where one was looked for, or not one that will do. */
public final class UnusableSparkException extends Exception {
  private static final long serialVersionUID = 1;

  UnusableSparkException(String message) {
    super(message);
  }
}
