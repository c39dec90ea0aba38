package io.sluice.coordinator.rest;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.coordinator.leadership.NotLeaderException;
import io.sluice.http.Answer;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Failures as answers: what went wrong, whose matter it is, and what to do. */
final class Errors {
  private static final Logger log = LoggerFactory.getLogger(Errors.class);

  private Errors() {}

  private record Body(Detail error) {}

  private record Detail(
      String code,
      int number,
      String blame,
      String advice,
      String message,
      @Nullable String leader) {}

  static Answer answer(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof SluiceException known) {
      return answer(known);
    }
    log.error("unexpected failure in a call", cause);
    return answer(new SluiceException(ErrorCode.INTERNAL_ERROR, "unexpected: " + cause, cause));
  }

  private static Answer answer(SluiceException failure) {
    ErrorCode code = failure.code();
    String leader = failure instanceof NotLeaderException moved ? moved.leader() : null;
    Body body =
        new Body(
            new Detail(
                code.name(),
                code.number(),
                code.blame().name(),
                code.advice().name(),
                failure.detail(),
                leader));
    int status = status(failure);
    return new Answer(status, Json.TYPE, headers(failure, status), Json.write(body));
  }

  private static Map<String, String> headers(SluiceException failure, int status) {
    if (status == 401) {
      return Map.of("www-authenticate", "Bearer realm=\"sluice\"");
    }
    return failure instanceof RestException own && !own.allowed().isEmpty()
        ? Map.of("allow", own.allowed())
        : Map.of();
  }

  private static int status(SluiceException failure) {
    if (failure instanceof RestException own) {
      return own.status();
    }
    return switch (failure.code()) {
      case UNKNOWN_APPLICATION, UNKNOWN_SHUFFLE -> 404;
      case INVALID_ARGUMENT, INVALID_CONFIGURATION -> 400;
      case AUTHENTICATION_FAILED -> 401;
      case ACCESS_DENIED -> 403;
      case NOT_LEADER -> 503;
      default ->
          switch (failure.code().blame()) {
            case CALLER -> 409;
            case CAPACITY -> 429;
            case INTERNAL, CORRUPTION -> failure.code() == ErrorCode.INTERNAL_ERROR ? 500 : 503;
          };
    };
  }
}
