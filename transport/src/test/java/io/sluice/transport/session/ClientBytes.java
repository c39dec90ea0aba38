package io.sluice.transport.session;

import io.sluice.transport.FetchRequest;
import io.sluice.transport.TestBlocks;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random but valid bytes of a client, after its preface. */
final class ClientBytes {
  private final Random random;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final List<Integer> handles = new ArrayList<>();
  private final List<Integer> streams = new ArrayList<>();
  private int nextHandle;
  private int nextStream;

  private ClientBytes(long seed) {
    this.random = new Random(seed);
  }

  static byte[] generate(long seed, int frames) {
    ClientBytes bytes = new ClientBytes(seed);
    for (int i = 0; i < frames; i++) {
      bytes.frame();
    }
    return bytes.out.toByteArray();
  }

  private void frame() {
    switch (random.nextInt(handles.isEmpty() ? 4 : 11)) {
      case 0 -> open();
      case 1 -> number(FrameType.WANT, 0);
      case 2 -> number(FrameType.RETURN, 0);
      case 3 -> number(random.nextBoolean() ? FrameType.PING : FrameType.PONG, 0);
      case 4 -> fetch();
      case 5 -> number(FrameType.FETCH_CREDIT, someStream());
      case 6 ->
          out.writeBytes(
              Rig.bytes(Frames.empty(Rig.buffer(), FrameType.FETCH_CANCEL, someStream(), 0)));
      case 7 -> release();
      case 8 -> inventory();
      default -> push();
    }
  }

  private void open() {
    if (handles.size() == Rig.MAX_HANDLES) {
      return;
    }
    nextHandle += 1 + random.nextInt(3);
    handles.add(nextHandle);
    out.writeBytes(
        Rig.bytes(Frames.open(Rig.buffer(), nextHandle, Rig.SHUFFLE, random.nextInt(9))));
  }

  private void release() {
    int handle = handles.remove(random.nextInt(handles.size()));
    out.writeBytes(Rig.bytes(Frames.empty(Rig.buffer(), FrameType.RELEASE, handle, 0)));
  }

  private void number(FrameType type, int subject) {
    long value = 1 + (random.nextLong() >>> (24 + random.nextInt(39)));
    out.writeBytes(Rig.bytes(Frames.number(Rig.buffer(), type, subject, value)));
  }

  private void fetch() {
    nextStream += 1 + random.nextInt(3);
    streams.add(nextStream);
    int partition = random.nextInt(100);
    int map = random.nextInt(100);
    out.writeBytes(
        Rig.bytes(
            Frames.fetch(
                Rig.buffer(),
                new FetchRequest(
                    nextStream,
                    someHandle(),
                    partition,
                    partition + 1 + random.nextInt(5),
                    map,
                    map + 1 + random.nextInt(5),
                    random.nextInt(1 << 20)))));
  }

  private void inventory() {
    nextStream += 1 + random.nextInt(3);
    streams.add(nextStream);
    out.writeBytes(
        Rig.bytes(Frames.inventory(Rig.buffer(), nextStream, someHandle(), random.nextInt(100))));
  }

  private void push() {
    byte[][] blocks = new byte[1 + random.nextInt(4)][];
    for (int i = 0; i < blocks.length; i++) {
      int stored = random.nextInt(4) == 0 ? 0 : random.nextInt(1 << random.nextInt(12));
      blocks[i] = TestBlocks.block(random.nextInt(9), random.nextInt(9), i, stored);
      if (random.nextInt(8) == 0) {
        // Byte 9 is inside the map index: only the CRC can tell.
        blocks[i][9] ^= 1;
      }
    }
    out.writeBytes(Rig.frame(FrameType.PUSH, someHandle(), blocks.length, blocks));
  }

  private int someHandle() {
    return handles.get(random.nextInt(handles.size()));
  }

  private int someStream() {
    return streams.isEmpty() ? 0 : streams.get(random.nextInt(streams.size()));
  }
}
