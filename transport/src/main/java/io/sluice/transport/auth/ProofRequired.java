package io.sluice.transport.auth;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.security.Verifier;
import io.sluice.transport.Principal;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.session.ServerAuthenticator;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A server that believes only who proves himself. */
public final class ProofRequired implements ServerAuthenticator {
  private final Verifiers applications;
  private final List<Verifier> members;
  private final Authentications observer;
  private final SecureRandom random = new SecureRandom();

  public ProofRequired(Verifiers applications, ClusterKey members, Authentications observer) {
    this.applications = applications;
    this.members = members.accepted();
    this.observer = observer;
  }

  @Override
  public Exchange begin(Hello hello, ServerId self, Supplier<byte[]> binding) {
    try {
      if (hello.scheme() != Credentials.SCHEME) {
        throw new SluiceException(
            ErrorCode.AUTHENTICATION_FAILED,
            "this server asks for a proof of scheme "
                + Credentials.SCHEME
                + ", the client offers "
                + (hello.scheme() == 0 ? "none" : "scheme " + hello.scheme()));
      }
      Principal claimed = Claim.decode(hello.principal());
      byte[] nonce = new byte[Claim.NONCE_BYTES];
      random.nextBytes(nonce);
      return new Challenged(hello, claimed, Transcript.challenge(nonce, self), binding);
    } catch (SluiceException e) {
      observer.refused(Authentications.Refusal.NO_PROOF);
      throw e;
    }
  }

  /** One connection's. */
  private final class Challenged implements Exchange {
    private final Hello hello;
    private final Principal claimed;
    private final byte[] challenge;
    private final Supplier<byte[]> binding;
    private @Nullable CompletableFuture<?> waiting;
    private byte @Nullable [] serverProof;

    Challenged(Hello hello, Principal claimed, byte[] challenge, Supplier<byte[]> binding) {
      this.hello = hello;
      this.claimed = claimed;
      this.challenge = challenge;
      this.binding = binding;
    }

    @Override
    public byte @Nullable [] challenge() {
      return serverProof == null ? challenge.clone() : null;
    }

    @Override
    public CompletionStage<Void> answer(byte[] proof) {
      byte[] transcript = Transcript.of(hello, challenge, binding.get());
      if (claimed.kind() == Principal.Kind.MEMBER) {
        judge(members, proof, transcript);
        return CompletableFuture.completedFuture(null);
      }
      ApplicationId application =
          ApplicationId.of(
              claimed.id().getMostSignificantBits(), claimed.id().getLeastSignificantBits());
      CompletableFuture<Verifier> found = applications.find(application);
      waiting = found;
      return found.thenApply(
          verifier -> {
            judge(List.of(verifier), proof, transcript);
            return null;
          });
    }

    private void judge(List<Verifier> verifiers, byte[] proof, byte[] transcript) {
      for (Verifier verifier : verifiers) {
        if (verifier.accepts(proof, transcript)) {
          serverProof = verifier.serverProof(transcript);
          observer.proved(claimed.kind());
          return;
        }
      }
      observer.refused(Authentications.Refusal.WRONG_PROOF);
      throw new SluiceException(
          ErrorCode.AUTHENTICATION_FAILED, "the proof is not one of " + claimed);
    }

    @Override
    public Principal principal() {
      return claimed;
    }

    @Override
    public byte[] proof() {
      return serverProof == null ? new byte[0] : serverProof.clone();
    }

    @Override
    public void close() {
      if (waiting != null && !waiting.isDone() && waiting.cancel(false)) {
        observer.refused(Authentications.Refusal.UNKNOWN_APPLICATION);
      }
    }
  }
}
