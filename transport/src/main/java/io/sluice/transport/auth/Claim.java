package io.sluice.transport.auth;

import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ServerId;
import io.sluice.transport.Principal;
import java.nio.ByteBuffer;

/** HELLO's principal in scheme 1: who somebody says to be, and a nonce. */
final class Claim {
  static final int NONCE_BYTES = 32;
  static final int BYTES = 1 + 16 + NONCE_BYTES;

  private static final byte APPLICATION = 1;
  private static final byte MEMBER = 2;

  private Claim() {}

  static byte[] encode(Principal principal, byte[] nonce) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.put(principal.kind() == Principal.Kind.APPLICATION ? APPLICATION : MEMBER);
    bytes.putLong(principal.id().getMostSignificantBits());
    bytes.putLong(principal.id().getLeastSignificantBits());
    return bytes.put(nonce).array();
  }

  /**
   * Who is claimed.
   *
   * @throws SluiceException AUTHENTICATION_FAILED if it is no claim
   */
  static Principal decode(byte[] claim) {
    if (claim.length == BYTES) {
      ByteBuffer bytes = ByteBuffer.wrap(claim);
      switch (bytes.get()) {
        case APPLICATION:
          return Principal.of(ApplicationId.of(bytes.getLong(), bytes.getLong()));
        case MEMBER:
          return Principal.of(ServerId.of(bytes.getLong(), bytes.getLong()));
        default:
      }
    }
    throw new SluiceException(ErrorCode.AUTHENTICATION_FAILED, "the principal cannot be read");
  }
}
