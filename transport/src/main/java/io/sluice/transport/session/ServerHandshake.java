package io.sluice.transport.session;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.frame.Hello;
import org.jspecify.annotations.Nullable;

/** The server's part of the handshake up to the point where the peer is known and believed. */
final class ServerHandshake {
  private static final int MAX_CHALLENGES = 4;

  private final ServerSettings settings;
  private @Nullable Hello hello;
  private ServerAuthenticator.@Nullable Exchange exchange;
  private boolean awaitingAnswer;
  private int challenges;

  ServerHandshake(ServerSettings settings) {
    this.settings = settings;
  }

  void hello(Hello said) {
    if (hello != null) {
      throw unexpected("a second HELLO");
    }
    hello = said;
    if (said.minVersion() > Protocol.MAX_VERSION || said.maxVersion() < Protocol.MIN_VERSION) {
      throw new SluiceException(
          ErrorCode.UNSUPPORTED_VERSION,
          "the client speaks versions "
              + said.minVersion()
              + " to "
              + said.maxVersion()
              + ", this server "
              + Protocol.MIN_VERSION
              + " to "
              + Protocol.MAX_VERSION);
    }
    ServerId meant = said.expectedServer();
    if (meant != null && !meant.equals(settings.identity().id())) {
      throw new SluiceException(
          ErrorCode.WRONG_SERVER, "the client means " + meant + ", this is " + settings.identity());
    }
    if (said.scheme() != settings.authenticator().scheme()) {
      throw new SluiceException(
          ErrorCode.AUTHENTICATION_FAILED,
          "scheme " + said.scheme() + " is not accepted; use " + settings.authenticator().scheme());
    }
    exchange = settings.authenticator().begin(said);
  }

  void answer(byte[] response) {
    if (exchange == null || !awaitingAnswer) {
      throw unexpected("an answer to nothing");
    }
    awaitingAnswer = false;
    exchange.answer(response);
  }

  /** What to challenge the client with next, or null if it is believed. */
  byte @Nullable [] challenge() {
    byte[] challenge = exchange == null ? null : exchange.challenge();
    if (challenge != null) {
      awaitingAnswer = true;
      if (++challenges > MAX_CHALLENGES) {
        throw new SluiceException(ErrorCode.AUTHENTICATION_FAILED, "no proof after four answers");
      }
    }
    return challenge;
  }

  Hello peer() {
    if (hello == null) {
      throw new IllegalStateException("no HELLO yet");
    }
    return hello;
  }

  /** The highest version that both speak. */
  int version() {
    return Math.min(peer().maxVersion(), Protocol.MAX_VERSION);
  }

  private static SluiceException unexpected(String what) {
    return new SluiceException(ErrorCode.UNEXPECTED_FRAME, what);
  }
}
