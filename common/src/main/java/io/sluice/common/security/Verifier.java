package io.sluice.common.security;

import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether someone knows a secret, without giving the means to pretend so. Verifiers are equal
 * if they are of the same keys.
 */
public final class Verifier {
  /** Bytes of an encoded verifier. */
  public static final int BYTES = 3 * Digests.BYTES;

  private final byte[] storedKey;
  private final byte[] serverKey;
  private final byte[] controlHash;

  Verifier(byte[] storedKey, byte[] serverKey, byte[] controlHash) {
    this.storedKey = storedKey;
    this.serverKey = serverKey;
    this.controlHash = controlHash;
  }

  /**
   * Reads what {@link #encode} wrote.
   *
   * @throws IllegalArgumentException unless there are {@link #BYTES} bytes
   */
  public static Verifier decode(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException("a verifier has " + BYTES + " bytes, not " + bytes.length);
    }
    int third = Digests.BYTES;
    return new Verifier(
        Arrays.copyOf(bytes, third),
        Arrays.copyOfRange(bytes, third, 2 * third),
        Arrays.copyOfRange(bytes, 2 * third, BYTES));
  }

  public byte[] encode() {
    byte[] bytes = Arrays.copyOf(storedKey, BYTES);
    System.arraycopy(serverKey, 0, bytes, Digests.BYTES, Digests.BYTES);
    System.arraycopy(controlHash, 0, bytes, 2 * Digests.BYTES, Digests.BYTES);
    return bytes;
  }

  /** Whether a client's proof of this transcript was made with the keys; in constant time. */
  public boolean accepts(byte[] proof, byte[] transcript) {
    if (proof.length != Digests.BYTES) {
      return false;
    }
    byte[] clientKey = Digests.xor(proof, Digests.hmac(storedKey, transcript));
    return MessageDigest.isEqual(Digests.sha256(clientKey), storedKey);
  }

  /** The server's own proof that it has the verifier, 32 bytes. */
  public byte[] serverProof(byte[] transcript) {
    return Digests.hmac(serverKey, transcript);
  }

  /** Whether a control call carries the right key; in constant time. */
  public boolean acceptsControlKey(byte[] controlKey) {
    return MessageDigest.isEqual(Digests.sha256(controlKey), controlHash);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Verifier
        && MessageDigest.isEqual(encode(), ((Verifier) other).encode());
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(controlHash);
  }

  @Override
  public String toString() {
    return "Verifier";
  }
}
