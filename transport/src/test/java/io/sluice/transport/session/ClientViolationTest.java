package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.ClientLink;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each violation by a server, and what the client's session hears; also misuse of the link. */
final class ClientViolationTest {

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource
  void violationsAfterTheHandshake(String what, ErrorCode code, byte[] bytes) {
    ClientRig rig = ClientRig.open();
    ClientLink link = rig.session.link();
    link.open(0, Rig.SHUFFLE, 3);
    pushOneBlock(link);
    link.fetch(new FetchRequest(0, 0, 0, 1, 0, 1, 1000));
    link.flush();
    rig.output.takeSent();
    rig.feed(bytes);
    assertThat(rig.session.code()).isEqualTo(code);
    List<Rig.Frame> sent = Rig.frames(rig.output.takeSent());
    assertThat(sent).hasSize(1);
    assertThat(ErrorCode.ofNumber(sent.get(0).argument())).isEqualTo(code);
    assertThat(rig.output.isClosed()).isTrue();
    assertThat(rig.output.counting().bytesHeld()).isZero();
  }

  static Stream<Arguments> violationsAfterTheHandshake() {
    return Stream.of(
        Arguments.of("client's frame", ErrorCode.UNEXPECTED_FRAME, Rig.header(0x13, 0, 0, 8)),
        Arguments.of("second WELCOME", ErrorCode.UNEXPECTED_FRAME, Rig.header(0x04, 0, 1, 52)),
        Arguments.of("ack of unsent", ErrorCode.UNEXPECTED_FRAME, ack(1, 1, 0)),
        Arguments.of("ack of too many", ErrorCode.UNEXPECTED_FRAME, ack(0, 2, 0)),
        Arguments.of("ack of none", ErrorCode.MALFORMED_FRAME, ack(0, 0, 0)),
        Arguments.of("ack below", ErrorCode.MALFORMED_FRAME, ack(-1, 1, 0)),
        Arguments.of("ack past the end", ErrorCode.MALFORMED_FRAME, ack(Long.MAX_VALUE, 1, 0)),
        Arguments.of("negative refund", ErrorCode.MALFORMED_FRAME, ack(0, 1, -1)),
        Arguments.of(
            "cut range", ErrorCode.MALFORMED_FRAME, Rig.frame(FrameType.ACK, 0, 0, new byte[21])),
        Arguments.of("data of no stream", ErrorCode.UNEXPECTED_FRAME, data(1, 10)),
        Arguments.of("data over credit", ErrorCode.CREDIT_EXCEEDED, data(0, 1001)),
        Arguments.of("empty data", ErrorCode.MALFORMED_FRAME, data(0, 0)),
        Arguments.of(
            "large data",
            ErrorCode.FRAME_TOO_LARGE,
            Rig.header(0x28, 0, 0, TransportLimits.MAX_DATA_BYTES + 1)),
        Arguments.of("end of no stream", ErrorCode.UNEXPECTED_FRAME, end(1, 0, 0)),
        Arguments.of("end with other bytes", ErrorCode.MALFORMED_FRAME, end(0, 1, 5)),
        Arguments.of("end with negative blocks", ErrorCode.MALFORMED_FRAME, end(0, -1, 0)),
        Arguments.of(
            "grant of nothing",
            ErrorCode.MALFORMED_FRAME,
            Rig.bytes(Frames.number(Rig.buffer(), FrameType.GRANT, 0, 0))));
  }

  private static byte[] ack(long first, int count, long refund) {
    return Rig.frame(
        FrameType.ACK,
        0,
        0,
        ByteBuffer.allocate(20).putLong(first).putInt(count).putLong(refund).array());
  }

  private static byte[] data(int stream, int length) {
    return Rig.frame(FrameType.DATA, stream, 0, new byte[length]);
  }

  private static byte[] end(int stream, long blocks, long bytes) {
    return Rig.bytes(Frames.streamEnd(Rig.buffer(), stream, blocks, bytes));
  }

  private static void pushOneBlock(ClientLink link) {
    ByteBuf block = Unpooled.wrappedBuffer(new byte[40]);
    link.push(0, 1, block);
    assertThat(block.refCnt()).isEqualTo(2);
    block.release();
  }

  @Test
  void dataOfACancelledStreamIsIgnored() {
    ClientRig rig = ClientRig.open();
    ClientLink link = rig.session.link();
    link.open(0, Rig.SHUFFLE, 3);
    link.fetch(new FetchRequest(0, 0, 0, 1, 0, 1, 1000));
    byte[] data = data(0, 100);
    rig.feed(Arrays.copyOf(data, 50));
    link.fetchCancel(0);
    rig.feed(Arrays.copyOfRange(data, 50, data.length));
    rig.feed(data);
    rig.feed(end(0, 1, 200));
    rig.feed(Rig.bytes(Frames.number(Rig.buffer(), FrameType.GRANT, 0, 5)));
    assertThat(rig.session.cause).isNull();
    assertThat(rig.session.events).filteredOn(e -> e.startsWith("data")).hasSize(1);
    assertThat(rig.session.events).noneMatch(e -> e.startsWith("ended"));
    assertThat(rig.session.events.get(rig.session.events.size() - 1)).isEqualTo("granted 5");
  }

  @Test
  void anErrorOfTheServerIsTheReasonOfTheClose() {
    ClientRig rig = ClientRig.open();
    rig.feed(
        Rig.bytes(
            Frames.failure(Rig.buffer(), FrameType.ERROR, 0, ErrorCode.CREDIT_EXCEEDED, "x")));
    assertThat(rig.session.code()).isEqualTo(ErrorCode.CREDIT_EXCEEDED);
    assertThat(rig.output.takeSent()).isEmpty();
    assertThat(rig.output.isAborted()).isTrue();
  }

  @Test
  void aServerOtherThanTheOneMeantIsLeft() {
    ClientRig rig = new ClientRig(ServerId.of(77, 78));
    rig.feed(ServerBytes.welcome());
    assertThat(rig.session.code()).isEqualTo(ErrorCode.WRONG_SERVER);
    assertThat(rig.session.link).isNull();
  }

  @Test
  void somethingThatIsNoServerIsBadMagic() {
    ClientRig rig = new ClientRig(null);
    rig.feed("HTTP/1.1 400 Bad Request".getBytes(StandardCharsets.UTF_8));
    assertThat(rig.session.code()).isEqualTo(ErrorCode.BAD_MAGIC);
  }

  @Test
  void misuseOfTheLinkIsRefusedWhereItHappens() {
    ClientRig rig = ClientRig.open();
    ClientLink link = rig.session.link();
    link.open(5, Rig.SHUFFLE, 3);
    refused(ErrorCode.INVALID_ARGUMENT, () -> link.open(5, Rig.SHUFFLE, 3));
    link.fetch(new FetchRequest(5, 5, 0, 1, 0, 1, 1));
    refused(ErrorCode.INVALID_ARGUMENT, () -> link.fetch(new FetchRequest(5, 5, 0, 1, 0, 1, 1)));
    refused(ErrorCode.INVALID_ARGUMENT, () -> link.fetch(new FetchRequest(6, 5, 1, 1, 0, 1, 1)));
    ByteBuf block = Unpooled.wrappedBuffer(new byte[40]);
    refused(ErrorCode.INVALID_ARGUMENT, () -> link.push(5, 0, block));
    assertThat(block.release()).isTrue();
    for (int i = 1; i < Rig.MAX_HANDLES; i++) {
      link.open(5 + i, Rig.SHUFFLE, 3);
    }
    refused(ErrorCode.TOO_MANY_HANDLES, () -> link.open(99, Rig.SHUFFLE, 3));
    link.release(5);
    link.open(99, Rig.SHUFFLE, 3);
    assertThat(rig.session.cause).isNull();
  }

  private static void refused(ErrorCode code, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void anErrorOfThisProcessIsNamedAndNoCauseOfWhatTheSessionHears() {
    ClientRig rig = ClientRig.open();
    rig.protocol.disconnected(new IOException("read", new OutOfMemoryError("no room")));
    assertThat(rig.session.code()).isEqualTo(ErrorCode.CONNECTION_LOST);
    assertThat(rig.session.cause).hasMessageContaining("read").hasNoCause();
  }

  @Test
  void callsAfterTheEndReleaseWhatTheyAreGiven() {
    ClientRig rig = ClientRig.open();
    ClientLink link = rig.session.link();
    rig.protocol.disconnected(null);
    ByteBuf block = Unpooled.wrappedBuffer(new byte[40]);
    link.push(0, 1, block);
    assertThat(block.refCnt()).isEqualTo(1);
    block.release();
    link.want(5);
    link.flush();
    assertThat(link.isWritable()).isFalse();
    assertThat(rig.session.code()).isEqualTo(ErrorCode.CONNECTION_LOST);
    assertThat(rig.output.counting().bytesHeld()).isZero();
  }
}
