package io.sluice.transport.session;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.Principal;
import io.sluice.transport.frame.Hello;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The server's part of the handshake up to the point where the peer is known and believed. */
final class ServerHandshake {
  private static final int MAX_CHALLENGES = 4;

  private final ServerSettings settings;
  private final Supplier<byte[]> binding;
  private @Nullable Hello hello;
  private ServerAuthenticator.@Nullable Exchange exchange;
  private boolean awaitingAnswer;
  private int challenges;

  /**
   * @param binding as {@link Output#binding}
   */
  ServerHandshake(ServerSettings settings, Supplier<byte[]> binding) {
    this.settings = settings;
    this.binding = binding;
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
    exchange = settings.authenticator().begin(said, settings.identity().id(), binding);
  }

  /** As {@link ServerAuthenticator.Exchange#answer}. */
  CompletionStage<Void> answer(byte[] response) {
    if (exchange == null || !awaitingAnswer) {
      throw unexpected("an answer to nothing");
    }
    awaitingAnswer = false;
    return exchange.answer(response);
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

  /** Who the peer has proved to be. */
  Principal principal() {
    return believed().principal();
  }

  /**
   * The server that the peer is, or null for a client.
   *
   * @throws SluiceException AUTHENTICATION_FAILED if it has proved to be somebody else
   */
  @Nullable ServerId speaker() {
    ServerId speaker = peer().server();
    if (speaker != null && !principal().mayActAs(speaker)) {
      throw new SluiceException(
          ErrorCode.AUTHENTICATION_FAILED, principal() + " says to be server " + speaker);
    }
    return speaker;
  }

  /** What this server proves itself by. */
  byte[] proof() {
    return believed().proof();
  }

  private ServerAuthenticator.Exchange believed() {
    if (exchange == null) {
      throw new IllegalStateException("no HELLO yet");
    }
    return exchange;
  }

  /** It is over, one way or the other. */
  void close() {
    if (exchange != null) {
      exchange.close();
    }
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
