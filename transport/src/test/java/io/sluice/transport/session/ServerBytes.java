package io.sluice.transport.session;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.ErrorCode;
import io.sluice.transport.frame.AckRanges;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import io.sluice.transport.frame.Welcome;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Random but valid bytes of a server whose client has sent BLOCKS blocks and opened STREAMS
 * streams.
 */
final class ServerBytes {
  static final int BLOCKS = 1000;
  static final int STREAMS = 6;
  static final long CREDIT = 100_000;

  private static final List<ErrorCode> CODES = List.of(ErrorCode.values());

  private final Random random;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final List<Integer> open = new ArrayList<>();
  private final long[] sent = new long[STREAMS];

  private ServerBytes(long seed) {
    this.random = new Random(seed);
    for (int i = 0; i < STREAMS; i++) {
      open.add(i);
    }
  }

  static byte[] welcome() {
    Welcome welcome =
        new Welcome(1, Rig.IDENTITY, Rig.SEED, Rig.MAX_BLOCK, Rig.MAX_HANDLES, Rig.MAX_STREAMS);
    return Rig.join(Rig.magic(), Rig.bytes(welcome.encode(Rig.buffer())));
  }

  static byte[] welcome(byte[] proof) {
    Welcome welcome =
        new Welcome(
            1, Rig.IDENTITY, Rig.SEED, Rig.MAX_BLOCK, Rig.MAX_HANDLES, Rig.MAX_STREAMS, proof);
    return Rig.bytes(welcome.encode(Rig.buffer()));
  }

  static byte[] generate(long seed, int frames) {
    ServerBytes bytes = new ServerBytes(seed);
    for (int i = 0; i < frames; i++) {
      bytes.frame();
    }
    return bytes.out.toByteArray();
  }

  private void frame() {
    switch (random.nextInt(open.isEmpty() ? 6 : 12)) {
      case 0 -> ranges(FrameType.ACK, 0);
      case 1 -> ranges(FrameType.NACK, anyCode().number());
      case 2 -> add(Frames.number(Rig.buffer(), FrameType.GRANT, 0, 1 + random.nextInt(1 << 30)));
      case 3 -> add(Frames.number(Rig.buffer(), FrameType.RECLAIM, 0, 1 + random.nextInt(1 << 30)));
      case 4 -> add(Frames.empty(Rig.buffer(), FrameType.WANT_REFUSED, 0, anyCode().number()));
      case 5 ->
          add(
              random.nextBoolean()
                  ? Frames.number(Rig.buffer(), FrameType.PING, 0, random.nextLong())
                  : Frames.empty(Rig.buffer(), FrameType.GOAWAY, 0, 0));
      case 6 -> end();
      default -> data();
    }
  }

  private void add(ByteBuf frame) {
    out.writeBytes(Rig.bytes(frame));
  }

  private ErrorCode anyCode() {
    return CODES.get(random.nextInt(CODES.size()));
  }

  private void ranges(FrameType type, int code) {
    int count = 1 + random.nextInt(random.nextInt(10) == 0 ? AckRanges.MAX_PER_FRAME : 3);
    ByteBuf frame = Frames.ranges(Rig.buffer(), type, code, count);
    for (int i = 0; i < count; i++) {
      int first = random.nextInt(BLOCKS);
      frame.writeLong(first).writeInt(1 + random.nextInt(BLOCKS - first));
      frame.writeLong(random.nextInt(1 << 20));
    }
    add(frame);
  }

  private void end() {
    int stream = open.remove(random.nextInt(open.size()));
    add(
        random.nextBoolean()
            ? Frames.streamEnd(Rig.buffer(), stream, random.nextInt(99), sent[stream])
            : Frames.failure(
                Rig.buffer(), FrameType.STREAM_FAILED, stream, anyCode(), "für später"));
  }

  private void data() {
    int stream = open.get(random.nextInt(open.size()));
    byte[] bytes = new byte[1 + random.nextInt(4000)];
    random.nextBytes(bytes);
    if (sent[stream] + bytes.length <= CREDIT) {
      sent[stream] += bytes.length;
      out.writeBytes(Rig.frame(FrameType.DATA, stream, random.nextInt(3), bytes));
    }
  }
}
