package io.sluice.common.security;

import io.sluice.common.id.ApplicationId;
import java.nio.ByteBuffer;
import java.security.MessageDigest;

/** What whoever knows a secret proves that with. */
public final class Keys {
  private final byte[] clientKey;
  private final byte[] serverKey;
  private final byte[] controlKey;

  private Keys(Secret secret, byte[] salt) {
    this.clientKey = secret.derive(salt, "sluice client key 1");
    this.serverKey = secret.derive(salt, "sluice server key 1");
    this.controlKey = secret.derive(salt, "sluice control key 1");
  }

  /** Of an application; the same secret gives another application other keys. */
  public static Keys ofApplication(ApplicationId application, Secret secret) {
    ByteBuffer salt = ByteBuffer.allocate(16);
    salt.putLong(application.high()).putLong(application.low());
    return new Keys(secret, salt.array());
  }

  /** Of a cluster's members and operators. */
  public static Keys ofCluster(Secret secret) {
    return new Keys(secret, new byte[0]);
  }

  /** The client's proof for a transcript, 32 bytes. */
  public byte[] proof(byte[] transcript) {
    byte[] storedKey = Digests.sha256(clientKey);
    return Digests.xor(clientKey, Digests.hmac(storedKey, transcript));
  }

  /** Whether this is what only a server makes that has the verifier. */
  public boolean isServerProof(byte[] proof, byte[] transcript) {
    return MessageDigest.isEqual(proof, Digests.hmac(serverKey, transcript));
  }

  /** What control calls carry, 32 bytes. */
  public byte[] controlKey() {
    return controlKey.clone();
  }

  public Verifier verifier() {
    return new Verifier(Digests.sha256(clientKey), serverKey, Digests.sha256(controlKey));
  }

  @Override
  public String toString() {
    return "Keys";
  }
}
