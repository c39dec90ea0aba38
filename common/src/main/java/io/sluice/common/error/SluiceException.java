package io.sluice.common.error;

import org.jspecify.annotations.Nullable;

/** A coded failure. Callers branch on {@link #code()}, its blame or its advice, never on text. */
public class SluiceException extends RuntimeException {
  private final ErrorCode code;
  private final String detail;

  public SluiceException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public SluiceException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(code + ": " + message, cause);
    this.code = code;
    this.detail = message;
  }

  public final ErrorCode code() {
    return code;
  }

  /** The message without the code before it, for passing the failure on. */
  public final String detail() {
    return detail;
  }
}
