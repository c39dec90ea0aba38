package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A refusal with a status of HTTP of its own. */
final class RestException extends SluiceException {
  private static final long serialVersionUID = 1;

  private final int status;
  private final String allowed;

  private RestException(
      int status, ErrorCode code, String message, String allowed, @Nullable Throwable cause) {
    super(code, message, cause);
    this.status = status;
    this.allowed = allowed;
  }

  static RestException of(int status, ErrorCode code, String message, @Nullable Throwable cause) {
    return new RestException(status, code, message, "", cause);
  }

  static RestException of(int status, ErrorCode code, String message) {
    return new RestException(status, code, message, "", null);
  }

  /** Nothing has that name. */
  static RestException notFound(String message) {
    return of(404, ErrorCode.INVALID_ARGUMENT, message);
  }

  /** There is something of that name, which takes other methods. */
  static RestException notAllowed(String method, String path, Collection<String> allowed) {
    String list = String.join(", ", allowed);
    String message = path + " takes " + list + ", not " + method;
    return new RestException(405, ErrorCode.INVALID_ARGUMENT, message, list, null);
  }

  int status() {
    return status;
  }

  /** What a header of the answer has to say about methods; may be empty. */
  String allowed() {
    return allowed;
  }
}
