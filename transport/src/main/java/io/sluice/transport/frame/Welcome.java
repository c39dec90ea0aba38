package io.sluice.transport.frame;

import io.netty.buffer.ByteBuf;
import io.sluice.common.id.ServerId;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;

/** The server's answer that opens a connection. Immutable. */
public final class Welcome {
  /** Longest proof of the server. */
  public static final int MAX_PROOF_BYTES = 256;

  private static final int LENGTH = 52;
  private static final int MAJORITY_ENOUGH = 1;

  private final int version;
  private final ServerIdentity server;
  private final long seedCredit;
  private final int maxBlockBytes;
  private final int maxHandles;
  private final int maxStreams;
  private final byte[] proof;

  /** Without a proof. */
  public Welcome(
      int version,
      ServerIdentity server,
      long seedCredit,
      int maxBlockBytes,
      int maxHandles,
      int maxStreams) {
    this(version, server, seedCredit, maxBlockBytes, maxHandles, maxStreams, new byte[0]);
  }

  /**
   * @param proof of the server's, at most {@link #MAX_PROOF_BYTES}
   */
  public Welcome(
      int version,
      ServerIdentity server,
      long seedCredit,
      int maxBlockBytes,
      int maxHandles,
      int maxStreams,
      byte[] proof) {
    if (proof.length > MAX_PROOF_BYTES) {
      throw new IllegalArgumentException("proof of " + proof.length + " bytes");
    }
    this.proof = proof.clone();
    this.version = version;
    this.server = server;
    this.seedCredit = seedCredit;
    this.maxBlockBytes = maxBlockBytes;
    this.maxHandles = maxHandles;
    this.maxStreams = maxStreams;
  }

  /**
   * @param version the header's argument
   */
  public static Welcome decode(int version, ByteBuffer body, int offset, int length) {
    long incarnation = body.getLong(offset + 16);
    long intactSince = body.getLong(offset + 24);
    if (intactSince < 0 || intactSince > incarnation) {
      throw FrameHeader.malformed(FrameType.WELCOME, "field out of range");
    }
    byte[] proof = proof(body, offset + LENGTH, length - LENGTH);
    ServerIdentity server =
        new ServerIdentity(
            ServerId.of(body.getLong(offset), body.getLong(offset + 8)), incarnation, intactSince);
    int rule = LENGTH + Short.BYTES + proof.length;
    if (version >= ReplicaFrames.SINCE && length > rule) {
      server = body.get(offset + rule) == MAJORITY_ENOUGH ? server.withMajorityEnough() : server;
    }
    Welcome welcome =
        new Welcome(
            version,
            server,
            body.getLong(offset + 32),
            body.getInt(offset + 40),
            body.getInt(offset + 44),
            body.getInt(offset + 48),
            proof);
    if (welcome.seedCredit < 0
        || welcome.seedCredit > TransportLimits.MAX_CREDIT
        || welcome.maxBlockBytes < 1
        || welcome.maxBlockBytes > TransportLimits.MAX_BLOCK_BYTES
        || (welcome.maxHandles | welcome.maxStreams) < 0) {
      throw FrameHeader.malformed(FrameType.WELCOME, "field out of range");
    }
    return welcome;
  }

  private static byte[] proof(ByteBuffer body, int offset, int left) {
    if (left < Short.BYTES) {
      return new byte[0];
    }
    int proofLength = body.getShort(offset) & 0xFFFF;
    if (proofLength > MAX_PROOF_BYTES || proofLength > left - Short.BYTES) {
      throw FrameHeader.malformed(FrameType.WELCOME, "proof of " + proofLength + " bytes");
    }
    return Text.bytes(body, offset + Short.BYTES, proofLength);
  }

  /** Appends the frame. */
  public ByteBuf encode(ByteBuf out) {
    boolean replicates = version >= ReplicaFrames.SINCE;
    int length = LENGTH + Short.BYTES + proof.length + (replicates ? 1 : 0);
    FrameHeader.write(out, FrameType.WELCOME, 0, version, length);
    out.writeLong(server.id().high()).writeLong(server.id().low());
    out.writeLong(server.incarnation()).writeLong(server.intactSince()).writeLong(seedCredit);
    out.writeInt(maxBlockBytes).writeInt(maxHandles).writeInt(maxStreams);
    out.writeShort(proof.length).writeBytes(proof);
    return replicates ? out.writeByte(server.majorityEnough() ? MAJORITY_ENOUGH : 0) : out;
  }

  public int version() {
    return version;
  }

  public ServerIdentity server() {
    return server;
  }

  /** Bytes the client may have in flight from the start. */
  public long seedCredit() {
    return seedCredit;
  }

  /** Largest stored length of a block. */
  public int maxBlockBytes() {
    return maxBlockBytes;
  }

  public int maxHandles() {
    return maxHandles;
  }

  public int maxStreams() {
    return maxStreams;
  }

  /** What the server proves itself by, in the terms of the scheme; may be empty. */
  public byte[] proof() {
    return proof.clone();
  }
}
