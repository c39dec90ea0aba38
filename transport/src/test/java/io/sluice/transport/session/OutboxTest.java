package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ClientLink;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.OutgoingData;
import io.sluice.transport.ServerLink;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.AckRanges;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What leaves, in which order, and who closes what does not. */
final class OutboxTest {
  private static final int HIGH_WATER = 1000;

  private final MemoryOutput output = new MemoryOutput(new CountingAllocator(), HIGH_WATER);
  private final Rig rig = new Rig(output, ServerAuthenticator.none());
  private int open;
  private int closedTwice;

  @AfterEach
  void nothingIsHeldAfterTheEnd() {
    rig.protocol.disconnected(null);
    output.abort();
    assertThat(open).isZero();
    assertThat(closedTwice).isZero();
    assertThat(output.counting().bytesHeld()).isZero();
  }

  private ServerLink linkWithStreams() {
    rig.feed(Rig.preface());
    rig.feed(Rig.bytes(Frames.open(Rig.buffer(), 1, Rig.SHUFFLE, 3)));
    for (int stream = 0; stream < 3; stream++) {
      rig.feed(
          Rig.bytes(Frames.fetch(Rig.buffer(), new FetchRequest(stream, 1, 0, 1, 0, 1, 1 << 30))));
    }
    output.takeSent();
    return rig.link();
  }

  @Test
  void aBatchThatFillsTheOutputIsWrittenOnce() {
    ServerLink link = linkWithStreams();
    output.actAsChannel(0, rig.protocol::writabilityChanged);
    for (int i = 0; i < 1000; i++) {
      link.grant(1);
    }
    link.flush();

    assertThat(sentTypes()).hasSize(1000).containsOnly(FrameType.GRANT);
  }

  private List<FrameType> sentTypes() {
    return Rig.frames(output.takeSent()).stream().map(Rig.Frame::type).toList();
  }

  @Test
  void smallFramesOvertakeWaitingData() {
    ServerLink link = linkWithStreams();
    link.data(0, 0, lease(HIGH_WATER));
    link.data(0, 0, lease(10));
    link.streamEnd(0, 1, HIGH_WATER + 10);
    link.ack(0, 1, 4096);
    link.grant(5);
    link.flush();
    assertThat(sentTypes()).containsExactly(FrameType.DATA, FrameType.GRANT, FrameType.ACK);
    rig.protocol.writabilityChanged();
    assertThat(sentTypes()).containsExactly(FrameType.DATA, FrameType.STREAM_END);
    assertThat(open).isZero();
  }

  @Test
  void acksOfOneReadMakeRanges() {
    ServerLink link = linkWithStreams();
    for (int i = 0; i < 10; i++) {
      link.ack(i, 1, 4096);
    }
    link.ack(20, 2, 1);
    link.nack(12, 1, 2, ErrorCode.CORRUPT_BLOCK);
    link.nack(13, 1, 2, ErrorCode.CORRUPT_BLOCK);
    link.nack(14, 1, 2, ErrorCode.NO_MEMORY);
    rig.protocol.readComplete();
    List<Rig.Frame> sent = Rig.frames(output.takeSent());
    assertThat(sent)
        .extracting(Rig.Frame::type)
        .containsExactly(FrameType.NACK, FrameType.ACK, FrameType.NACK);
    ByteBuffer acks = sent.get(1).body();
    assertThat(acks.remaining()).isEqualTo(2 * AckRanges.BYTES);
    assertThat(AckRanges.first(acks, 0)).isZero();
    assertThat(AckRanges.blocks(acks, 0)).isEqualTo(10);
    assertThat(AckRanges.refund(acks, 0)).isEqualTo(40960);
    assertThat(AckRanges.first(acks, AckRanges.BYTES)).isEqualTo(20);
    assertThat(AckRanges.blocks(sent.get(0).body(), 0)).isEqualTo(2);
    assertThat(sent.get(2).argument()).isEqualTo(ErrorCode.NO_MEMORY.number());
  }

  @Test
  void moreRangesThanAFrameHoldsMakeSeveralFrames() {
    ServerLink link = linkWithStreams();
    for (int i = 0; i < 600; i++) {
      link.ack(2L * i, 1, 4096);
      link.nack(2L * i + 1, 1, 4096, ErrorCode.NO_MEMORY);
    }
    link.flush();
    int ranges = 0;
    for (Rig.Frame frame : Rig.frames(output.takeSent())) {
      ranges += frame.body().remaining() / AckRanges.BYTES;
    }
    assertThat(ranges).isEqualTo(1200);
  }

  @Test
  void aCancelledStreamLosesWhatWaits() {
    ServerLink link = linkWithStreams();
    link.data(0, 0, lease(HIGH_WATER));
    link.data(1, 0, lease(20));
    link.data(2, 0, lease(30));
    link.data(1, 0, lease(40));
    assertThat(open).isEqualTo(4);
    rig.feed(Rig.bytes(Frames.empty(Rig.buffer(), FrameType.FETCH_CANCEL, 1, 0)));
    assertThat(open).isEqualTo(2);
    assertThat(rig.session.events).contains("fetchCancel 1");
    link.data(1, 0, lease(50));
    assertThat(open).isEqualTo(2);
    link.streamEnd(1, 0, 0);
    output.transmit(Long.MAX_VALUE);
    rig.protocol.writabilityChanged();
    assertThat(Rig.frames(output.takeSent())).extracting(Rig.Frame::subject).containsExactly(0, 2);
  }

  @Test
  void theSessionIsToldOnceThatThereIsRoom() {
    ServerLink link = linkWithStreams();
    link.data(0, 0, lease(HIGH_WATER));
    assertThat(link.isWritable()).isFalse();
    output.transmit(Long.MAX_VALUE);
    rig.protocol.writabilityChanged();
    assertThat(rig.session.events).doesNotContain("writable");
    output.runTasks();
    rig.protocol.writabilityChanged();
    output.runTasks();
    assertThat(rig.session.events).filteredOn("writable"::equals).hasSize(1);
  }

  @Test
  void everyLeaseIsClosedOnceWhenTheConnectionGoes() {
    ServerLink link = linkWithStreams();
    link.data(0, 0, lease(HIGH_WATER));
    link.data(0, 0, lease(10));
    link.data(1, 0, lease(10));
    rig.protocol.disconnected(null);
    output.abort();
    assertThat(open).isZero();
    link.data(1, 0, lease(10));
    assertThat(open).isZero();
    assertThat(closedTwice).isZero();
    assertThat(output.counting().bytesHeld()).isZero();
  }

  @Test
  void dataOverTheLimitIsAMistakeOfTheSessionAndClosed() {
    ServerLink link = linkWithStreams();
    OutgoingData large = lease(TransportLimits.MAX_DATA_BYTES + 1);
    assertThatThrownBy(() -> link.data(0, 0, large)).isInstanceOf(IllegalArgumentException.class);
    assertThat(open).isZero();
  }

  @Test
  void aPeerThatAsksAndDoesNotReadIsDropped() {
    rig.feed(Rig.preface());
    output.takeSent();
    byte[] ping = Rig.bytes(Frames.number(Rig.buffer(), FrameType.PING, 0, 1));
    byte[][] pings = new byte[1000][];
    Arrays.fill(pings, ping);
    byte[] many = Rig.join(pings);
    int fed = 0;
    while (!rig.protocol.isEnded()) {
      rig.feed(many);
      output.runTasks();
      fed += many.length;
      assertThat(fed).isLessThan(8 << 20);
    }
    assertThat(output.isAborted()).isTrue();
    assertThat(rig.session.closed).isEqualTo(1);
    assertThat(output.counting().bytesHeld()).isZero();
  }

  @Test
  void aPeerThatAsksForStreamsAndDoesNotReadIsDropped() {
    ServerLink link = linkWithStreams();
    // The socket is full and takes nothing; every answer about a stream stays behind this.
    link.data(0, 0, lease(HIGH_WATER));
    link.data(0, 0, lease(10));
    long before = output.counting().bytesHeld();
    int stream = 3;
    while (!rig.protocol.isEnded()) {
      FetchRequest request = new FetchRequest(stream, 1, 0, 1, 0, 1, 1);
      rig.feed(Rig.bytes(Frames.fetch(Rig.buffer(), request)));
      if (stream % 2 == 0) {
        link.streamEnd(stream, 0, 0);
      } else {
        link.streamFailed(stream, ErrorCode.UNKNOWN_SHUFFLE, "x".repeat(2000));
      }
      output.runTasks();
      stream++;
      assertThat(output.counting().bytesHeld() - before).isLessThan(8 << 20);
      assertThat(stream).isLessThan(100_000);
    }
    assertThat(stream).as("answers that may wait").isGreaterThan(1000);
    assertThat(output.isAborted()).isTrue();
    assertThat(rig.session.closed).isEqualTo(1);
  }

  @Test
  void aClientsRequestsOvertakeItsPushesButReleaseDoesNot() {
    ClientRig client = new ClientRig(null, ClientAuthenticator.none(), output);
    client.feed(ServerBytes.welcome());
    output.takeSent();
    ClientLink link = client.session.link();
    link.open(1, Rig.SHUFFLE, 3);
    push(link, HIGH_WATER);
    push(link, 100);
    link.release(1);
    link.want(5);
    link.fetch(new FetchRequest(0, 1, 0, 1, 0, 1, 1));
    link.flush();
    assertThat(sentTypes())
        .containsExactly(FrameType.OPEN, FrameType.PUSH, FrameType.WANT, FrameType.FETCH);
    client.protocol.writabilityChanged();
    assertThat(sentTypes()).containsExactly(FrameType.PUSH, FrameType.RELEASE);
  }

  @Test
  void aReleaseOvertakesThePushesOfOtherHandlesAndComesBeforeTheNextOpen() {
    ClientRig client = new ClientRig(null, ClientAuthenticator.none(), output);
    client.feed(ServerBytes.welcome());
    ClientLink link = client.session.link();
    link.open(1, Rig.SHUFFLE, 3);
    link.open(2, Rig.SHUFFLE, 3);
    link.flush();
    output.takeSent();
    push(link, HIGH_WATER);
    push(link, 100);
    link.release(2);
    link.open(3, Rig.SHUFFLE, 3);
    link.release(1);
    link.open(4, Rig.SHUFFLE, 3);
    link.flush();

    assertThat(Rig.frames(output.takeSent()))
        .extracting(frame -> frame.type() + " " + frame.subject())
        .containsExactly("PUSH 1", "RELEASE 2", "OPEN 3", "OPEN 4");
    client.protocol.writabilityChanged();
    assertThat(Rig.frames(output.takeSent()))
        .extracting(frame -> frame.type() + " " + frame.subject())
        .containsExactly("PUSH 1", "RELEASE 1");
  }

  @Test
  void anOrderlyCloseSendsEverythingWhateverTheHighWaterMark() {
    ClientRig client = new ClientRig(null, ClientAuthenticator.none(), output);
    client.feed(ServerBytes.welcome());
    output.takeSent();
    ClientLink link = client.session.link();
    link.open(1, Rig.SHUFFLE, 3);
    push(link, HIGH_WATER);
    push(link, HIGH_WATER);
    push(link, HIGH_WATER);
    link.close();
    output.runTasks();
    assertThat(sentTypes())
        .containsExactly(
            FrameType.OPEN, FrameType.PUSH, FrameType.PUSH, FrameType.PUSH, FrameType.GOAWAY);
  }

  private static void push(ClientLink link, int length) {
    ByteBuf blocks = Unpooled.wrappedBuffer(new byte[length]);
    link.push(1, 1, blocks);
    blocks.release();
  }

  private OutgoingData lease(int length) {
    open++;
    return new OutgoingData() {
      private boolean closed;

      @Override
      public ByteBuffer[] buffers() {
        return new ByteBuffer[] {ByteBuffer.allocateDirect(length)};
      }

      @Override
      public int length() {
        return length;
      }

      @Override
      public void close() {
        if (closed) {
          closedTwice++;
        }
        closed = true;
        open--;
      }
    };
  }
}
