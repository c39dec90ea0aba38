package io.sluice.cli.service;

import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What gRPC itself logs, past the service's own log, to standard error. It tells of every stream
 * and connection that does not keep to HTTP/2, with a stack trace: a stranger who has proved
 * nothing could write megabytes in seconds. What calls came to, the service says itself.
 */
final class GrpcLog {
  // A field, since java.util.logging forgets the level of a logger that nobody holds.
  private static final Logger GRPC = Logger.getLogger("io.grpc");

  private GrpcLog() {}

  /** Leaves only what gRPC takes for defects of its own. */
  static void quiet() {
    GRPC.setLevel(Level.SEVERE);
  }
}
