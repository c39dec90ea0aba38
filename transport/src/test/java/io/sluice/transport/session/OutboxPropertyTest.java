package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ServerLink;
import io.sluice.transport.frame.AckRanges;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Whatever a session sends, in whatever rhythm the socket takes it: frames leave whole, each stream
 * in order, every answer once, every lease closed once.
 */
final class OutboxPropertyTest {
  private int open;
  private int closes;

  @Property(tries = 500)
  void framesLeaveWholeAndStreamsInOrder(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 5000) int highWater,
      @ForAll @IntRange(min = 1, max = 10_000) int bytesPerFlush) {
    open = 0;
    closes = 0;
    MemoryOutput output = new MemoryOutput(new CountingAllocator(), highWater);
    Rig rig = new Rig(output, ServerAuthenticator.none());
    output.actAsChannel(bytesPerFlush, rig.protocol::writabilityChanged);
    rig.feed(Rig.preface());
    rig.feed(Rig.bytes(Frames.open(Rig.buffer(), 1, Rig.SHUFFLE, 3)));
    for (int stream = 0; stream < 3; stream++) {
      FetchRequest request = new FetchRequest(stream, 1, 0, 1, 0, 1, 1 << 30);
      rig.feed(Rig.bytes(Frames.fetch(Rig.buffer(), request)));
    }
    Random random = new Random(seed);
    ServerLink link = rig.link();
    int[] sent = new int[3];
    int acked = 0;
    for (int i = 0; i < 200; i++) {
      int stream = random.nextInt(3);
      switch (random.nextInt(6)) {
        case 0 -> {
          link.ack(2L * acked, 1, 4096);
          acked++;
        }
        case 1 -> link.flush();
        case 2 -> output.runTasks();
        case 3 -> output.transmit(random.nextInt(2000));
        default -> {
          int length = 1 + random.nextInt(3000);
          link.data(stream, 0, piece(stream, sent[stream], length));
          sent[stream] += length;
        }
      }
    }
    for (int stream = 0; stream < 3; stream++) {
      link.streamEnd(stream, 0, sent[stream]);
    }
    if (random.nextBoolean()) {
      rig.feed(Rig.bytes(Frames.empty(Rig.buffer(), FrameType.GOAWAY, 0, 0)));
    } else {
      link.flush();
      for (int i = 0; i < 1000; i++) {
        output.transmit(1);
        rig.protocol.writabilityChanged();
        output.runTasks();
      }
    }
    check(Rig.frames(output.takeSent()), sent, acked);
    assertThat(open).isZero();
    assertThat(closes).isPositive();
    rig.protocol.disconnected(null);
    assertThat(output.counting().bytesHeld()).isZero();
  }

  private static void check(List<Rig.Frame> frames, int[] sent, int acked) {
    int[] received = new int[sent.length];
    List<Integer> ended = new ArrayList<>();
    int answers = 0;
    for (Rig.Frame frame : frames) {
      switch (frame.type()) {
        case DATA -> {
          while (frame.body().hasRemaining()) {
            assertThat(frame.body().get())
                .isEqualTo(content(frame.subject(), received[frame.subject()]++));
          }
        }
        case STREAM_END -> {
          assertThat(received[frame.subject()]).isEqualTo(sent[frame.subject()]);
          ended.add(frame.subject());
        }
        case ACK -> answers += frame.body().remaining() / AckRanges.BYTES;
        default -> assertThat(frame.type()).isEqualTo(FrameType.WELCOME);
      }
    }
    assertThat(ended).containsExactlyInAnyOrder(0, 1, 2);
    assertThat(answers).isEqualTo(acked);
  }

  private static byte content(int stream, int position) {
    return (byte) (31 * stream + 7 * position);
  }

  /** In three buffers, so that something could come between them. */
  private OutgoingData piece(int stream, int from, int length) {
    open++;
    ByteBuffer[] buffers = new ByteBuffer[3];
    int done = 0;
    for (int i = 0; i < 3; i++) {
      int part = i == 2 ? length - done : length / 3;
      buffers[i] = ByteBuffer.allocateDirect(part);
      for (int j = 0; j < part; j++) {
        buffers[i].put(j, content(stream, from + done + j));
      }
      done += part;
    }
    return new OutgoingData() {
      @Override
      public ByteBuffer[] buffers() {
        return buffers;
      }

      @Override
      public int length() {
        return length;
      }

      @Override
      public void close() {
        open--;
        closes++;
      }
    };
  }
}
