package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import org.jspecify.annotations.Nullable;

/** A refusal with a status of HTTP of its own. */
final class RestException extends SluiceException {
  private static final long serialVersionUID = 1;

  private final int status;

  private RestException(int status, ErrorCode code, String message, @Nullable Throwable cause) {
    super(code, message, cause);
    this.status = status;
  }

  static RestException of(int status, ErrorCode code, String message, @Nullable Throwable cause) {
    return new RestException(status, code, message, cause);
  }

  static RestException of(int status, ErrorCode code, String message) {
    return new RestException(status, code, message, null);
  }

  /** Nothing has that name. */
  static RestException notFound(String message) {
    return of(404, ErrorCode.INVALID_ARGUMENT, message);
  }

  int status() {
    return status;
  }
}
