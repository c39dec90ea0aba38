package io.sluice.transport.frame;

import io.netty.buffer.ByteBuf;
import io.sluice.common.id.ServerId;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a client says first. Immutable. */
public final class Hello {
  public static final int MAX_PRINCIPAL_BYTES = 256;

  private static final int FIXED = 40;
  private static final int SERVER_BYTES = 16;

  private final int minVersion;
  private final int maxVersion;
  private final UUID process;
  private final @Nullable ServerId expectedServer;
  private final int scheme;
  private final byte[] principal;
  private final @Nullable ServerId server;

  /** What a client says. */
  public Hello(
      int minVersion,
      int maxVersion,
      UUID process,
      @Nullable ServerId expectedServer,
      int scheme,
      byte[] principal) {
    this(minVersion, maxVersion, process, expectedServer, scheme, principal, null);
  }

  private Hello(
      int minVersion,
      int maxVersion,
      UUID process,
      @Nullable ServerId expectedServer,
      int scheme,
      byte[] principal,
      @Nullable ServerId server) {
    if (principal.length > MAX_PRINCIPAL_BYTES) {
      throw new IllegalArgumentException("principal of " + principal.length + " bytes");
    }
    this.minVersion = minVersion;
    this.maxVersion = maxVersion;
    this.process = process;
    this.expectedServer = expectedServer;
    this.scheme = scheme;
    this.principal = principal.clone();
    this.server = server;
  }

  /** The same, said by a server, or by a client if that is null. */
  public Hello from(@Nullable ServerId speaker) {
    return new Hello(minVersion, maxVersion, process, expectedServer, scheme, principal, speaker);
  }

  public static Hello decode(ByteBuffer body, int offset, int length) {
    int principalLength = body.getShort(offset + FIXED - 2) & 0xFFFF;
    if (principalLength > MAX_PRINCIPAL_BYTES || principalLength > length - FIXED) {
      throw FrameHeader.malformed(FrameType.HELLO, "principal of " + principalLength + " bytes");
    }
    int minVersion = body.getShort(offset) & 0xFFFF;
    int maxVersion = body.getShort(offset + 2) & 0xFFFF;
    if (minVersion > maxVersion) {
      throw FrameHeader.malformed(FrameType.HELLO, "version range");
    }
    int known = FIXED + principalLength;
    return new Hello(
        minVersion,
        maxVersion,
        new UUID(body.getLong(offset + 4), body.getLong(offset + 12)),
        server(body, offset + 20),
        body.getShort(offset + 36) & 0xFFFF,
        Text.bytes(body, offset + FIXED, principalLength),
        length < known + SERVER_BYTES ? null : server(body, offset + known));
  }

  private static @Nullable ServerId server(ByteBuffer body, int at) {
    long high = body.getLong(at);
    long low = body.getLong(at + 8);
    return (high | low) == 0 ? null : ServerId.of(high, low);
  }

  /** Appends the frame, without the magic before it. */
  public ByteBuf encode(ByteBuf out) {
    int length = FIXED + principal.length + SERVER_BYTES;
    FrameHeader.write(out, FrameType.HELLO, 0, 0, length);
    out.writeShort(minVersion).writeShort(maxVersion);
    out.writeLong(process.getMostSignificantBits()).writeLong(process.getLeastSignificantBits());
    write(out, expectedServer);
    out.writeShort(scheme).writeShort(principal.length).writeBytes(principal);
    return write(out, server);
  }

  private static ByteBuf write(ByteBuf out, @Nullable ServerId id) {
    return out.writeLong(id == null ? 0 : id.high()).writeLong(id == null ? 0 : id.low());
  }

  public int minVersion() {
    return minVersion;
  }

  public int maxVersion() {
    return maxVersion;
  }

  public UUID process() {
    return process;
  }

  /** The server the client means, or null for whichever answers. */
  public @Nullable ServerId expectedServer() {
    return expectedServer;
  }

  /** The server that speaks, or null for a client. */
  public @Nullable ServerId server() {
    return server;
  }

  /** Number of the authentication scheme; 0 is none. */
  public int scheme() {
    return scheme;
  }

  /** Whom the client claims to be, in the terms of the scheme. */
  public byte[] principal() {
    return principal.clone();
  }
}
