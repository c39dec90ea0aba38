package io.sluice.transport.frame;

import io.netty.buffer.ByteBuf;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ServerId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.FailedReplica;
import io.sluice.transport.ReplicaMember;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Encoders and decoders of what frames say about the other members of a replica set. */
public final class ReplicaFrames {
  /** The first version of the protocol in which servers replicate. */
  public static final int SINCE = 3;

  /** Body of an OPEN without others. */
  static final int OPEN_BYTES = 32;

  // UUID, incarnation, port, length of the host.
  private static final int MEMBER_BYTES = 16 + 8 + 2 + 1;

  static final int MAX_OPEN_BYTES =
      OPEN_BYTES + ReplicaMember.MAX_OTHERS * (MEMBER_BYTES + HostPort.MAX_HOST_LENGTH);

  /** UUID and code of one member of a REPLICAS_FAILED. */
  static final int FAILED_BYTES = 20;

  private ReplicaFrames() {}

  /** An OPEN. */
  public static ByteBuf open(
      ByteBuf out, int handle, ShuffleKey shuffle, long incarnation, List<ReplicaMember> others) {
    if (others.size() > ReplicaMember.MAX_OTHERS) {
      throw new IllegalArgumentException("a set of " + (others.size() + 1));
    }
    int length = OPEN_BYTES;
    for (ReplicaMember member : others) {
      length += MEMBER_BYTES + member.host().length();
    }
    FrameHeader.write(out, FrameType.OPEN, handle, 0, length)
        .writeLong(shuffle.application().high())
        .writeLong(shuffle.application().low())
        .writeInt(shuffle.shuffleId())
        .writeInt(shuffle.generation())
        .writeLong(incarnation);
    for (ReplicaMember member : others) {
      out.writeLong(member.id().high()).writeLong(member.id().low());
      out.writeLong(member.incarnation()).writeShort(member.port());
      out.writeByte(member.host().length());
      out.writeBytes(member.host().getBytes(StandardCharsets.US_ASCII));
    }
    return out;
  }

  /**
   * The other members that an OPEN names.
   *
   * @throws io.sluice.common.error.SluiceException MALFORMED_FRAME, also for what can be no host
   */
  public static List<ReplicaMember> others(ByteBuffer body, int offset, int length) {
    if (length == OPEN_BYTES) {
      return List.of();
    }
    List<ReplicaMember> others = new ArrayList<>(ReplicaMember.MAX_OTHERS);
    int at = offset + OPEN_BYTES;
    int end = offset + length;
    while (at < end) {
      if (others.size() == ReplicaMember.MAX_OTHERS || end - at < MEMBER_BYTES) {
        throw FrameHeader.malformed(FrameType.OPEN, "members that do not add up");
      }
      int host = body.get(at + MEMBER_BYTES - 1) & 0xFF;
      long incarnation = body.getLong(at + 16);
      int port = body.getShort(at + 24) & 0xFFFF;
      if (host < 1 || host > end - at - MEMBER_BYTES || incarnation < 0 || port == 0) {
        throw FrameHeader.malformed(FrameType.OPEN, "field out of range");
      }
      others.add(
          new ReplicaMember(
              ServerId.of(body.getLong(at), body.getLong(at + 8)),
              incarnation,
              host(body, at + MEMBER_BYTES, host),
              port));
      at += MEMBER_BYTES + host;
    }
    return List.copyOf(others);
  }

  private static String host(ByteBuffer body, int at, int length) {
    String host = new String(Text.bytes(body, at, length), StandardCharsets.ISO_8859_1);
    if (!HostPort.isHost(host)) {
      throw FrameHeader.malformed(
          FrameType.OPEN, "the host of a member is neither a name nor an address");
    }
    return host;
  }

  /** A REPLICAS_FAILED. */
  public static ByteBuf failed(ByteBuf out, List<FailedReplica> failed) {
    FrameHeader.write(out, FrameType.REPLICAS_FAILED, 0, 0, failed.size() * FAILED_BYTES);
    for (FailedReplica replica : failed) {
      out.writeLong(replica.member().high()).writeLong(replica.member().low());
      out.writeInt(replica.why().number());
    }
    return out;
  }

  /** Whom a REPLICAS_FAILED names. */
  public static List<FailedReplica> failed(ByteBuffer body, int offset, int length) {
    if (length % FAILED_BYTES != 0) {
      throw FrameHeader.malformed(FrameType.REPLICAS_FAILED, "half a member");
    }
    List<FailedReplica> failed = new ArrayList<>(ReplicaMember.MAX_OTHERS);
    for (int at = offset; at < offset + length; at += FAILED_BYTES) {
      failed.add(
          new FailedReplica(
              ServerId.of(body.getLong(at), body.getLong(at + 8)),
              ErrorCode.ofNumber(body.getInt(at + 16))));
    }
    return failed;
  }
}
