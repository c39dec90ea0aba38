package io.sluice.transport.frame;

import static io.sluice.transport.TransportLimits.MAX_DATA_BYTES;
import static io.sluice.transport.TransportLimits.MAX_PUSH_BYTES;

import io.sluice.common.block.BlockHeader;
import io.sluice.transport.ReplicaMember;
import org.jspecify.annotations.Nullable;

/** Every frame, with who may send it and how long its body may be, in bytes. */
public enum FrameType {
  HELLO(0x01, Sender.CLIENT, 40, 1024),
  CHALLENGE(0x02, Sender.SERVER, 1, 1024),
  AUTHENTICATE(0x03, Sender.CLIENT, 1, 1024),
  WELCOME(0x04, Sender.SERVER, 52, 1024),
  PING(0x05, Sender.BOTH, 8, 8),
  PONG(0x06, Sender.BOTH, 8, 8),
  GOAWAY(0x07, Sender.BOTH, 0, 0),
  ERROR(0x08, Sender.BOTH, 0, Text.MAX_BYTES),

  OPEN(0x10, Sender.CLIENT, ReplicaFrames.OPEN_BYTES, ReplicaFrames.MAX_OPEN_BYTES),
  RELEASE(0x11, Sender.CLIENT, 0, 0),
  PUSH(0x12, Sender.CLIENT, BlockHeader.LENGTH, MAX_PUSH_BYTES),
  WANT(0x13, Sender.CLIENT, 8, 8),
  RETURN(0x14, Sender.CLIENT, 8, 8),

  ACK(0x18, Sender.SERVER, AckRanges.BYTES, AckRanges.BYTES * AckRanges.MAX_PER_FRAME),
  NACK(0x19, Sender.SERVER, AckRanges.BYTES, AckRanges.BYTES * AckRanges.MAX_PER_FRAME),
  GRANT(0x1A, Sender.SERVER, 8, 8),
  WANT_REFUSED(0x1B, Sender.SERVER, 0, 0),
  RECLAIM(0x1C, Sender.SERVER, 8, 8),
  EXPLAIN(0x1D, Sender.SERVER, 2, 1, Text.MAX_BYTES),
  REPLICAS_FAILED(
      0x1E,
      Sender.SERVER,
      ReplicaFrames.SINCE,
      ReplicaFrames.FAILED_BYTES,
      ReplicaFrames.FAILED_BYTES * ReplicaMember.MAX_OTHERS),

  FETCH(0x20, Sender.CLIENT, 24, 24),
  FETCH_CREDIT(0x21, Sender.CLIENT, 8, 8),
  FETCH_CANCEL(0x22, Sender.CLIENT, 0, 0),
  DAMAGED(0x23, Sender.CLIENT, 2, 44, 44),
  INVENTORY(0x24, Sender.CLIENT, 4, 4, 4),
  DATA(0x28, Sender.SERVER, 1, MAX_DATA_BYTES),
  STREAM_END(0x29, Sender.SERVER, 16, 16),
  STREAM_FAILED(0x2A, Sender.SERVER, 0, Text.MAX_BYTES);

  private static final FrameType[] BY_CODE = new FrameType[64];

  static {
    for (FrameType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final int code;
  private final Sender sender;
  private final int since;
  private final int minBody;
  private final int maxBody;

  FrameType(int code, Sender sender, int minBody, int maxBody) {
    this(code, sender, 1, minBody, maxBody);
  }

  FrameType(int code, Sender sender, int since, int minBody, int maxBody) {
    this.code = code;
    this.sender = sender;
    this.since = since;
    this.minBody = minBody;
    this.maxBody = maxBody;
  }

  /** The type with a code off the wire (0..255), or null. */
  static @Nullable FrameType ofCode(int code) {
    return code < BY_CODE.length ? BY_CODE[code] : null;
  }

  public int code() {
    return code;
  }

  /** The first version of the protocol that has it. */
  public int since() {
    return since;
  }

  public int minBody() {
    return minBody;
  }

  public int maxBody() {
    return maxBody;
  }

  /** Whether the body is consumed as it arrives; others are handed over whole. */
  public boolean isBulk() {
    return this == PUSH || this == DATA;
  }

  public boolean sentByClient() {
    return sender != Sender.SERVER;
  }

  public boolean sentByServer() {
    return sender != Sender.CLIENT;
  }

  private enum Sender {
    CLIENT,
    SERVER,
    BOTH
  }
}
