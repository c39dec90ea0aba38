package io.sluice.transport.auth;

import io.sluice.common.id.ServerId;
import io.sluice.transport.frame.Hello;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** What both sides of a handshake have seen, as proofs are made of it. */
final class Transcript {
  /** A nonce and the server's UUID. */
  static final int CHALLENGE_BYTES = Claim.NONCE_BYTES + 16;

  private static final byte[] LABEL = "sluice handshake 1".getBytes(StandardCharsets.US_ASCII);

  private Transcript() {}

  static byte[] challenge(byte[] nonce, ServerId server) {
    ByteBuffer bytes = ByteBuffer.allocate(CHALLENGE_BYTES);
    return bytes.put(nonce).putLong(server.high()).putLong(server.low()).array();
  }

  /** The server that a challenge of the right length names. */
  static ServerId server(byte[] challenge) {
    ByteBuffer bytes = ByteBuffer.wrap(challenge);
    return ServerId.of(
        bytes.getLong(Claim.NONCE_BYTES), bytes.getLong(Claim.NONCE_BYTES + Long.BYTES));
  }

  /**
   * @param binding what tells the channel from others, may be empty
   */
  static byte[] of(Hello hello, byte[] challenge, byte[] binding) {
    byte[] claim = hello.principal();
    ServerId meant = hello.expectedServer();
    ServerId speaker = hello.server();
    ByteBuffer bytes =
        ByteBuffer.allocate(
            LABEL.length + 4 + 48 + 2 + 2 + claim.length + challenge.length + binding.length);
    bytes.put(LABEL);
    bytes.putShort((short) hello.minVersion()).putShort((short) hello.maxVersion());
    bytes.putLong(hello.process().getMostSignificantBits());
    bytes.putLong(hello.process().getLeastSignificantBits());
    bytes.putLong(meant == null ? 0 : meant.high()).putLong(meant == null ? 0 : meant.low());
    bytes.putLong(speaker == null ? 0 : speaker.high());
    bytes.putLong(speaker == null ? 0 : speaker.low());
    bytes.putShort((short) hello.scheme()).putShort((short) claim.length).put(claim);
    // Of a fixed length: what follows cannot be taken for a part of it.
    return bytes.put(challenge).put(binding).array();
  }
}
