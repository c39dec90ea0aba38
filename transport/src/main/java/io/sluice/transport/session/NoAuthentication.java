package io.sluice.transport.session;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.Principal;
import io.sluice.transport.frame.Hello;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Scheme 0 of both sides. */
enum NoAuthentication implements ServerAuthenticator, ClientAuthenticator {
  INSTANCE;

  @Override
  public int scheme() {
    return 0;
  }

  @Override
  public ServerAuthenticator.Exchange begin(Hello hello, ServerId self, Supplier<byte[]> binding) {
    if (hello.scheme() != 0) {
      throw new SluiceException(
          ErrorCode.AUTHENTICATION_FAILED,
          "scheme " + hello.scheme() + " is not accepted: this server asks for no proof");
    }
    return Believer.INSTANCE;
  }

  @Override
  public ClientAuthenticator.Exchange begin() {
    return Claimless.INSTANCE;
  }

  /** Believes everyone. */
  private enum Believer implements ServerAuthenticator.Exchange {
    INSTANCE;

    @Override
    public byte @Nullable [] challenge() {
      return null;
    }

    @Override
    public CompletionStage<Void> answer(byte[] response) {
      throw new SluiceException(ErrorCode.UNEXPECTED_FRAME, "nothing was challenged");
    }

    @Override
    public Principal principal() {
      return Principal.anyone();
    }

    @Override
    public byte[] proof() {
      return new byte[0];
    }

    @Override
    public void close() {}
  }

  /** Claims nothing. */
  private enum Claimless implements ClientAuthenticator.Exchange {
    INSTANCE;

    @Override
    public byte[] principal() {
      return new byte[0];
    }

    @Override
    public byte[] respond(Hello said, byte[] challenge, byte[] binding) {
      throw new SluiceException(
          ErrorCode.AUTHENTICATION_FAILED, "the server asks for a proof, and none is configured");
    }

    @Override
    public void confirm(byte[] serverProof) {}
  }
}
