package io.sluice.transport.session;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.transport.frame.Hello;
import org.jspecify.annotations.Nullable;

/** Scheme 0 of both sides. */
enum NoAuthentication
    implements ServerAuthenticator, ServerAuthenticator.Exchange, ClientAuthenticator {
  INSTANCE;

  @Override
  public int scheme() {
    return 0;
  }

  @Override
  public Exchange begin(Hello hello) {
    return this;
  }

  @Override
  public byte @Nullable [] challenge() {
    return null;
  }

  @Override
  public void answer(byte[] response) {
    throw new SluiceException(ErrorCode.UNEXPECTED_FRAME, "nothing was challenged");
  }

  @Override
  public byte[] principal() {
    return new byte[0];
  }

  @Override
  public byte[] respond(byte[] challenge) {
    throw new SluiceException(
        ErrorCode.AUTHENTICATION_FAILED, "the server asks for a proof, and none is configured");
  }
}
