package io.sluice.transport.auth;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.common.security.ClusterKey;
import io.sluice.common.security.Keys;
import io.sluice.common.security.Secret;
import io.sluice.transport.Principal;
import io.sluice.transport.frame.Hello;
import io.sluice.transport.session.ClientAuthenticator;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/** As whom connections are opened: as an application, or as a member of the cluster. */
public final class Credentials implements ClientAuthenticator {
  /** Number of the scheme. */
  static final int SCHEME = 1;

  private final Principal principal;
  private final Keys keys;
  private final SecureRandom random = new SecureRandom();

  private Credentials(Principal principal, Keys keys) {
    this.principal = principal;
    this.keys = keys;
  }

  public static Credentials ofApplication(ApplicationId application, Secret secret) {
    return new Credentials(Principal.of(application), Keys.ofApplication(application, secret));
  }

  public static Credentials ofMember(ServerId member, ClusterKey key) {
    return new Credentials(Principal.of(member), key.own());
  }

  @Override
  public int scheme() {
    return SCHEME;
  }

  @Override
  public Exchange begin() {
    byte[] nonce = new byte[Claim.NONCE_BYTES];
    random.nextBytes(nonce);
    return new Proof(Claim.encode(principal, nonce));
  }

  @Override
  public String toString() {
    return "credentials of " + principal;
  }

  /** One connection's. */
  private final class Proof implements Exchange {
    private final byte[] claim;
    private byte @Nullable [] transcript;

    Proof(byte[] claim) {
      this.claim = claim;
    }

    @Override
    public byte[] principal() {
      return claim.clone();
    }

    @Override
    public byte[] respond(Hello said, byte[] challenge, byte[] binding) {
      if (challenge.length != Transcript.CHALLENGE_BYTES || transcript != null) {
        throw failed("the challenge is none of scheme " + SCHEME);
      }
      ServerId meant = said.expectedServer();
      ServerId met = Transcript.server(challenge);
      if (meant != null && !meant.equals(met)) {
        // A proof that this server could pass on to that one is not given away.
        throw new SluiceException(ErrorCode.WRONG_SERVER, "meant " + meant + ", met " + met);
      }
      byte[] seen = Transcript.of(said, challenge, binding);
      transcript = seen;
      return keys.proof(seen);
    }

    @Override
    public void confirm(byte[] serverProof) {
      if (transcript == null || !keys.isServerProof(serverProof, transcript)) {
        throw failed("the server has not proved that it was told about " + Credentials.this);
      }
    }

    private SluiceException failed(String why) {
      return new SluiceException(ErrorCode.AUTHENTICATION_FAILED, why);
    }
  }
}
