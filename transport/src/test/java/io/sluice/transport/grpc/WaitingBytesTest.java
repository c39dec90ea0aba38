package io.sluice.transport.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Drainable;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.transport.OutgoingData;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class WaitingBytesTest {
  private final WaitingBytes waiting = new WaitingBytes(new byte[5]);
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

  private int send(int most) throws IOException {
    InputStream message = waiting.next(most);
    int announced = message.available();
    assertThat(((Drainable) message).drainTo(sent)).isEqualTo(announced);
    return announced;
  }

  private static ByteBuf buffer(int first, int length) {
    ByteBuf buffer = Unpooled.directBuffer();
    for (int i = 0; i < length; i++) {
      buffer.writeByte(first + i);
    }
    return buffer;
  }

  @Test
  void messagesAreCutWhereTheyAreFullAndBytesStayInOrder() throws IOException {
    ByteBuf frame = buffer(0, 12);
    Lease data = new Lease(12, 7, 0, 4);
    waiting.add(frame);
    waiting.add(data);
    waiting.add(buffer(23, 2));
    assertThat(waiting.bytes()).isEqualTo(25);
    assertThat(send(11)).isEqualTo(11);
    assertThat(frame.refCnt()).isEqualTo(1);
    assertThat(send(11)).isEqualTo(11);
    assertThat(frame.refCnt()).isZero();
    assertThat(data.closed).isZero();
    assertThat(send(11)).isEqualTo(3);
    assertThat(data.closed).isEqualTo(1);
    assertThat(waiting.bytes()).isZero();
    for (int i = 0; i < 25; i++) {
      assertThat(sent.toByteArray()[i]).isEqualTo((byte) i);
    }
  }

  @Test
  void lentBuffersKeepTheirPositions() throws IOException {
    Lease data = new Lease(0, 3, 3);
    waiting.add(data);
    send(100);
    assertThat(data.buffers()[0].remaining()).isEqualTo(3);
    assertThat(data.buffers()[1].remaining()).isEqualTo(3);
  }

  @Test
  void whatIsEmptyIsGivenBackAtOnce() {
    ByteBuf nothing = Unpooled.directBuffer();
    Lease none = new Lease(0, 0);
    waiting.add(nothing);
    waiting.add(none);
    assertThat(nothing.refCnt()).isZero();
    assertThat(none.closed).isEqualTo(1);
    assertThat(waiting.bytes()).isZero();
  }

  @Test
  void whatIsDroppedHalfWayIsGivenBackOnce() throws IOException {
    ByteBuf frame = buffer(0, 4);
    Lease data = new Lease(4, 10);
    waiting.add(frame);
    waiting.add(data);
    send(6);
    waiting.close();
    waiting.close();
    assertThat(frame.refCnt()).isZero();
    assertThat(data.closed).isEqualTo(1);
    assertThat(waiting.bytes()).isZero();
  }

  /** Counts how often it is closed. */
  private static final class Lease implements OutgoingData {
    private final ByteBuffer[] buffers;
    private final int length;
    private int closed;

    Lease(int first, int... lengths) {
      buffers = new ByteBuffer[lengths.length];
      int next = first;
      for (int i = 0; i < lengths.length; i++) {
        buffers[i] = ByteBuffer.allocateDirect(lengths[i]);
        for (int b = 0; b < lengths[i]; b++) {
          buffers[i].put((byte) next++);
        }
        buffers[i].flip();
      }
      length = next - first;
    }

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
      closed++;
    }
  }
}
