package io.sluice.transport.frame;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.id.ApplicationId;
import io.sluice.common.id.ShuffleKey;
import io.sluice.transport.DamagedBlock;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.TransportLimits;
import java.nio.ByteBuffer;
import java.util.List;

/** Encoders and decoders of the small frames. Encoders append to a buffer and return it. */
public final class Frames {
  /** Bytes of a STREAM_END. */
  public static final int STREAM_END_LENGTH = FrameHeader.LENGTH + 16;

  /** Bytes of the longest ERROR or STREAM_FAILED. */
  public static final int MAX_FAILURE_LENGTH = FrameHeader.LENGTH + Text.MAX_BYTES;

  private Frames() {}

  public static ByteBuf magic(ByteBuf out) {
    return out.writeLong(FrameHeader.MAGIC);
  }

  /** A frame without body. */
  public static ByteBuf empty(ByteBuf out, FrameType type, int subject, int argument) {
    return FrameHeader.write(out, type, subject, argument, 0);
  }

  /** A frame whose body is one i64. */
  public static ByteBuf number(ByteBuf out, FrameType type, int subject, long value) {
    return FrameHeader.write(out, type, subject, 0, 8).writeLong(value);
  }

  /** CHALLENGE or AUTHENTICATE. */
  public static ByteBuf opaque(ByteBuf out, FrameType type, byte[] bytes) {
    if (bytes.length < type.minBody() || bytes.length > type.maxBody()) {
      throw new IllegalArgumentException(type + " of " + bytes.length + " bytes");
    }
    return FrameHeader.write(out, type, 0, 0, bytes.length).writeBytes(bytes);
  }

  /** ERROR, EXPLAIN (subject 0), STREAM_FAILED (subject is the stream). Long messages are cut. */
  public static ByteBuf failure(
      ByteBuf out, FrameType type, int subject, ErrorCode code, String message) {
    byte[] text = Text.encode(message);
    return FrameHeader.write(out, type, subject, code.number(), text.length).writeBytes(text);
  }

  /** An OPEN of a handle whose blocks go no further. */
  public static ByteBuf open(ByteBuf out, int handle, ShuffleKey shuffle, long incarnation) {
    return ReplicaFrames.open(out, handle, shuffle, incarnation, List.of());
  }

  public static ByteBuf fetch(ByteBuf out, FetchRequest request) {
    return FrameHeader.write(out, FrameType.FETCH, request.stream(), request.handle(), 24)
        .writeInt(request.firstPartition())
        .writeInt(request.endPartition())
        .writeInt(request.firstMap())
        .writeInt(request.endMap())
        .writeLong(request.credit());
  }

  public static ByteBuf inventory(ByteBuf out, int stream, int handle, int firstMap) {
    return FrameHeader.write(out, FrameType.INVENTORY, stream, handle, 4).writeInt(firstMap);
  }

  public static ByteBuf damaged(ByteBuf out, int stream, DamagedBlock block) {
    ShuffleKey shuffle = block.shuffle();
    return FrameHeader.write(out, FrameType.DAMAGED, stream, 0, FrameType.DAMAGED.minBody())
        .writeLong(shuffle.application().high())
        .writeLong(shuffle.application().low())
        .writeInt(shuffle.shuffleId())
        .writeInt(shuffle.generation())
        .writeInt(block.partition())
        .writeInt(block.mapIndex())
        .writeLong(block.attemptId())
        .writeInt(block.sequence());
  }

  public static ByteBuf streamEnd(ByteBuf out, int stream, long blocks, long bytes) {
    return FrameHeader.write(out, FrameType.STREAM_END, stream, 0, 16)
        .writeLong(blocks)
        .writeLong(bytes);
  }

  /** The header of an ACK or NACK of {@code ranges} ranges, with room for them behind it. */
  public static ByteBuf ranges(ByteBuf out, FrameType type, int code, int ranges) {
    int length = ranges * AckRanges.BYTES;
    return FrameHeader.write(out, type, 0, code, length);
  }

  /** The i64 of a frame that names an amount of credit: 1 to 2^40. */
  public static long credit(FrameType type, ByteBuffer body, int offset) {
    long bytes = body.getLong(offset);
    if (bytes < 1 || bytes > TransportLimits.MAX_CREDIT) {
      throw FrameHeader.malformed(type, "amount of " + bytes);
    }
    return bytes;
  }

  public static String text(ByteBuffer body, int offset, int length) {
    return Text.decode(body, offset, length);
  }

  public static byte[] bytes(ByteBuffer body, int offset, int length) {
    return Text.bytes(body, offset, length);
  }

  /** The block that a DAMAGED names. */
  public static DamagedBlock damagedBlock(ByteBuffer body, int offset) {
    return new DamagedBlock(
        shuffle(FrameType.DAMAGED, body, offset),
        body.getInt(offset + 24),
        body.getInt(offset + 28),
        body.getLong(offset + 32),
        body.getInt(offset + 40));
  }

  /** The shuffle an OPEN names. */
  public static ShuffleKey openedShuffle(ByteBuffer body, int offset) {
    return shuffle(FrameType.OPEN, body, offset);
  }

  private static ShuffleKey shuffle(FrameType type, ByteBuffer body, int offset) {
    int shuffle = body.getInt(offset + 16);
    int generation = body.getInt(offset + 20);
    if ((shuffle | generation) < 0) {
      throw FrameHeader.malformed(type, "negative id");
    }
    return new ShuffleKey(
        ApplicationId.of(body.getLong(offset), body.getLong(offset + 8)), shuffle, generation);
  }

  /** The incarnation an OPEN names. */
  public static long openedIncarnation(ByteBuffer body, int offset) {
    long incarnation = body.getLong(offset + 24);
    if (incarnation < 0) {
      throw FrameHeader.malformed(FrameType.OPEN, "negative incarnation");
    }
    return incarnation;
  }

  public static FetchRequest fetched(int stream, int handle, ByteBuffer body, int offset) {
    int firstPartition = body.getInt(offset);
    int endPartition = body.getInt(offset + 4);
    int firstMap = body.getInt(offset + 8);
    int endMap = body.getInt(offset + 12);
    long credit = body.getLong(offset + 16);
    if (firstPartition < 0
        || endPartition <= firstPartition
        || firstMap < 0
        || endMap <= firstMap
        || credit < 0
        || credit > TransportLimits.MAX_CREDIT) {
      throw FrameHeader.malformed(FrameType.FETCH, "field out of range");
    }
    return new FetchRequest(stream, handle, firstPartition, endPartition, firstMap, endMap, credit);
  }

  /** The lowest map that an INVENTORY asks for. */
  public static int inventoried(ByteBuffer body, int offset) {
    int firstMap = body.getInt(offset);
    if (firstMap < 0) {
      throw FrameHeader.malformed(FrameType.INVENTORY, "negative map");
    }
    return firstMap;
  }
}
