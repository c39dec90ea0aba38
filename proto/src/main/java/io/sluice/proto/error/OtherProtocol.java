package io.sluice.proto.error;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Peers that answer a call with something that is no HTTP/2, such as the data port of a server
 * where a coordinator was expected. gRPC says no more of them than "http2 exception".
 */
public final class OtherProtocol {
  /** Chains of causes are short; one that is not may go in a circle. */
  private static final int DEPTH = 16;

  /** What Netty begins with where a peer's first bytes are not a frame of settings. */
  private static final String NO_SETTINGS = "First received frame was not SETTINGS";

  private OtherProtocol() {}

  /** What is wrong with such a peer, in words; empty for all other failures. */
  public static Optional<String> told(@Nullable Throwable failure) {
    Throwable at = failure;
    for (int depth = 0; at != null && depth < DEPTH; depth++) {
      String message = at.getMessage();
      if (message != null && message.contains(NO_SETTINGS)) {
        return Optional.of(
            "what listens there does not speak the protocol of coordinators: it is another port,"
                + " such as a server's, or TLS is on at one end only");
      }
      at = at.getCause();
    }
    return Optional.empty();
  }
}
