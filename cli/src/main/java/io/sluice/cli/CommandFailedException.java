package io.sluice.cli;

import org.jspecify.annotations.Nullable;

/** A command cannot go on; the message says why and what to do, the code is the process's. */
public final class CommandFailedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final int exitCode;

  public CommandFailedException(int exitCode, String message) {
    this(exitCode, message, null);
  }

  public CommandFailedException(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  public int exitCode() {
    return exitCode;
  }
}
