package io.sluice.transport.frame;

import io.netty.buffer.ByteBuf;
import io.sluice.common.id.ServerId;
import io.sluice.transport.ServerIdentity;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;

/** The server's answer that opens a connection. Immutable. */
public final class Welcome {
  private static final int LENGTH = 52;

  private final int version;
  private final ServerIdentity server;
  private final long seedCredit;
  private final int maxBlockBytes;
  private final int maxHandles;
  private final int maxStreams;

  public Welcome(
      int version,
      ServerIdentity server,
      long seedCredit,
      int maxBlockBytes,
      int maxHandles,
      int maxStreams) {
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
  public static Welcome decode(int version, ByteBuffer body, int offset) {
    long incarnation = body.getLong(offset + 16);
    long intactSince = body.getLong(offset + 24);
    if (intactSince < 0 || intactSince > incarnation) {
      throw FrameHeader.malformed(FrameType.WELCOME, "field out of range");
    }
    Welcome welcome =
        new Welcome(
            version,
            new ServerIdentity(
                ServerId.of(body.getLong(offset), body.getLong(offset + 8)),
                incarnation,
                intactSince),
            body.getLong(offset + 32),
            body.getInt(offset + 40),
            body.getInt(offset + 44),
            body.getInt(offset + 48));
    if (welcome.seedCredit < 0
        || welcome.seedCredit > TransportLimits.MAX_CREDIT
        || welcome.maxBlockBytes < 1
        || welcome.maxBlockBytes > TransportLimits.MAX_BLOCK_BYTES
        || (welcome.maxHandles | welcome.maxStreams) < 0) {
      throw FrameHeader.malformed(FrameType.WELCOME, "field out of range");
    }
    return welcome;
  }

  /** Appends the frame. */
  public ByteBuf encode(ByteBuf out) {
    FrameHeader.write(out, FrameType.WELCOME, 0, version, LENGTH);
    out.writeLong(server.id().high()).writeLong(server.id().low());
    out.writeLong(server.incarnation()).writeLong(server.intactSince()).writeLong(seedCredit);
    return out.writeInt(maxBlockBytes).writeInt(maxHandles).writeInt(maxStreams);
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
}
