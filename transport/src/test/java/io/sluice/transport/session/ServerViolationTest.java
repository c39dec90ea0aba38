package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.TestBlocks;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each violation of docs/protocol.md by a client, and the name it gets. */
final class ServerViolationTest {

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource
  void violationsAfterTheHandshake(String what, ErrorCode code, byte[] bytes) {
    Rig rig = Rig.open();
    rig.feed(Rig.bytes(Frames.open(Rig.buffer(), 1, Rig.SHUFFLE, 3)));
    rig.feed(bytes);
    assertThat(rig.error()).isEqualTo(code);
    assertThat(rig.session.closed).isEqualTo(1);
    assertThat(rig.output.isClosed()).isTrue();

    int seen = rig.session.events.size();
    rig.feed(Rig.bytes(Frames.number(Rig.buffer(), FrameType.WANT, 0, 1)));
    assertThat(rig.session.events).hasSize(seen);
    rig.protocol.disconnected(null);
    assertThat(rig.session.closed).isEqualTo(1);
    assertThat(rig.output.counting().bytesHeld()).isZero();
  }

  static Stream<Arguments> violationsAfterTheHandshake() {
    byte[] block = TestBlocks.block(1, 2, 3, 100);
    return Stream.of(
        arguments("unknown type", ErrorCode.UNEXPECTED_FRAME, Rig.header(0x3F, 0, 0, 0)),
        arguments("type over the table", ErrorCode.UNEXPECTED_FRAME, Rig.header(0xFF, 0, 0, 0)),
        arguments("server's frame", ErrorCode.UNEXPECTED_FRAME, Rig.header(0x1A, 0, 0, 8)),
        arguments("second HELLO", ErrorCode.UNEXPECTED_FRAME, Rig.header(0x01, 0, 0, 40)),
        arguments("late proof", ErrorCode.UNEXPECTED_FRAME, Rig.header(0x03, 0, 0, 4)),
        arguments("long WANT", ErrorCode.FRAME_TOO_LARGE, Rig.header(0x13, 0, 0, 9)),
        arguments("negative length", ErrorCode.FRAME_TOO_LARGE, Rig.header(0x12, 1, 1, -1)),
        arguments(
            "long PUSH",
            ErrorCode.FRAME_TOO_LARGE,
            Rig.header(0x12, 1, 1, TransportLimits.MAX_PUSH_BYTES + 1)),
        arguments("short WANT", ErrorCode.MALFORMED_FRAME, Rig.header(0x13, 0, 0, 7)),
        arguments("flags", ErrorCode.MALFORMED_FRAME, flagged(5)),
        arguments("reserved bits", ErrorCode.MALFORMED_FRAME, flagged(7)),
        arguments("negative subject", ErrorCode.MALFORMED_FRAME, Rig.header(0x11, -1, 0, 0)),
        arguments("negative argument", ErrorCode.MALFORMED_FRAME, Rig.header(0x20, 1, -1, 24)),
        arguments("want of nothing", ErrorCode.MALFORMED_FRAME, number(FrameType.WANT, 0)),
        arguments("negative want", ErrorCode.MALFORMED_FRAME, number(FrameType.WANT, -5)),
        arguments(
            "immense return",
            ErrorCode.MALFORMED_FRAME,
            number(FrameType.RETURN, TransportLimits.MAX_CREDIT + 1)),
        arguments("handle again", ErrorCode.UNEXPECTED_FRAME, open(1)),
        arguments("handle below", ErrorCode.UNEXPECTED_FRAME, open(0)),
        arguments("release of unopened", ErrorCode.UNKNOWN_HANDLE, Rig.header(0x11, 9, 0, 0)),
        arguments("push to unopened", ErrorCode.UNKNOWN_HANDLE, Rig.header(0x12, 9, 1, 40)),
        arguments("fetch of unopened", ErrorCode.UNKNOWN_HANDLE, fetch(1, 9, 0, 1, 0, 1, 1)),
        arguments("fetch of no partition", ErrorCode.MALFORMED_FRAME, fetch(1, 1, 5, 5, 0, 1, 1)),
        arguments("fetch of no map", ErrorCode.MALFORMED_FRAME, fetch(1, 1, 0, 1, 3, 2, 1)),
        arguments("negative credit", ErrorCode.MALFORMED_FRAME, fetch(1, 1, 0, 1, 0, 1, -1)),
        arguments(
            "stream again",
            ErrorCode.UNEXPECTED_FRAME,
            Rig.join(fetch(4, 1, 0, 1, 0, 1, 1), fetch(4, 1, 0, 1, 0, 1, 1))),
        arguments("no blocks", ErrorCode.MALFORMED_FRAME, push(0, block)),
        arguments("fewer blocks than said", ErrorCode.MALFORMED_FRAME, push(2, block)),
        arguments("more blocks than said", ErrorCode.MALFORMED_FRAME, push(1, block, block)),
        arguments(
            "too many for the length",
            ErrorCode.MALFORMED_FRAME,
            Rig.header(0x12, 1, Integer.MAX_VALUE, 40)),
        arguments("cut block", ErrorCode.MALFORMED_FRAME, push(1, cut(block, 139))),
        arguments("block magic", ErrorCode.CORRUPT_BLOCK, push(1, changed(block, 0))),
        arguments("block version", ErrorCode.CORRUPT_BLOCK, push(1, changed(block, 2))),
        arguments(
            "large block", ErrorCode.BLOCK_TOO_LARGE, push(1, claiming(block, Rig.MAX_BLOCK + 1))),
        arguments("negative block", ErrorCode.CORRUPT_BLOCK, push(1, claiming(block, -1))));
  }

  private static Arguments arguments(String what, ErrorCode code, byte[] bytes) {
    return Arguments.of(what, code, bytes);
  }

  private static byte[] flagged(int at) {
    byte[] header = Rig.header(0x11, 1, 0, 0);
    header[at] = 1;
    return header;
  }

  private static byte[] number(FrameType type, long value) {
    return Rig.bytes(Frames.number(Rig.buffer(), type, 0, value));
  }

  private static byte[] open(int handle) {
    return Rig.bytes(Frames.open(Rig.buffer(), handle, Rig.SHUFFLE, 3));
  }

  private static byte[] fetch(
      int stream, int handle, int first, int end, int firstMap, int endMap, long credit) {
    return Rig.bytes(
        Frames.fetch(
            Rig.buffer(), new FetchRequest(stream, handle, first, end, firstMap, endMap, credit)));
  }

  private static byte[] push(int blocks, byte[]... body) {
    return Rig.frame(FrameType.PUSH, 1, blocks, body);
  }

  private static byte[] cut(byte[] bytes, int length) {
    return Arrays.copyOf(bytes, length);
  }

  private static byte[] changed(byte[] bytes, int at) {
    byte[] copy = bytes.clone();
    copy[at] ^= 0x11;
    return copy;
  }

  private static byte[] claiming(byte[] block, int storedLength) {
    byte[] copy = block.clone();
    ByteBuffer.wrap(copy).putInt(28, storedLength);
    return copy;
  }

  @Test
  void moreHandlesThanAllowedEndTheConnection() {
    Rig rig = Rig.open();
    for (int i = 0; i < Rig.MAX_HANDLES; i++) {
      rig.feed(open(i));
    }
    assertThat(rig.error()).isNull();
    rig.feed(Rig.header(0x11, 3, 0, 0));
    rig.feed(open(100));
    assertThat(rig.protocol.isEnded()).isFalse();
    rig.feed(open(101));
    assertThat(rig.error()).isEqualTo(ErrorCode.TOO_MANY_HANDLES);
  }

  @Test
  void aStreamTooManyFailsAlone() {
    Rig rig = Rig.open();
    rig.feed(open(1));
    for (int i = 0; i <= Rig.MAX_STREAMS; i++) {
      rig.feed(fetch(i, 1, 0, 1, 0, 1, 1));
    }
    Rig.Frame last = Rig.frames(rig.output.takeSent()).get(0);
    assertThat(last.type()).isEqualTo(FrameType.STREAM_FAILED);
    assertThat(last.subject()).isEqualTo(Rig.MAX_STREAMS);
    assertThat(ErrorCode.ofNumber(last.argument())).isEqualTo(ErrorCode.TOO_MANY_STREAMS);
    assertThat(rig.session.events).noneMatch(e -> e.startsWith("fetch " + Rig.MAX_STREAMS + " "));

    rig.link().streamEnd(0, 0, 0);
    rig.feed(fetch(50, 1, 0, 1, 0, 1, 1));
    assertThat(rig.session.events).anyMatch(e -> e.startsWith("fetch 50 "));
  }

  @Test
  void aBlockOfTheLargestSizeIsTakenWithoutAllocating() {
    Rig rig = Rig.open();
    rig.feed(open(1));
    byte[] block = TestBlocks.block(1, 2, 3, Rig.MAX_BLOCK);
    rig.feed(push(1, block));
    assertThat(rig.session.events).hasSize(2);
    assertThat(rig.session.events.get(1)).startsWith("block 1 0 ").endsWith(" true");
    assertThat(rig.output.counting().largest()).isLessThan(1024);
  }

  @Test
  void anErrorOfTheClientIsNotAnswered() {
    Rig rig = Rig.open();
    rig.feed(
        Rig.bytes(
            Frames.failure(Rig.buffer(), FrameType.ERROR, 0, ErrorCode.CREDIT_EXCEEDED, "why")));
    assertThat(rig.protocol.isEnded()).isTrue();
    assertThat(rig.output.takeSent()).isEmpty();
    assertThat(rig.output.isAborted()).isTrue();
    assertThat(rig.session.closed).isEqualTo(1);
  }
}
