package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.ConnectionTimeouts;
import io.sluice.transport.TestBlocks;
import io.sluice.transport.frame.FrameType;
import io.sluice.transport.frame.Frames;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LivenessTest {
  private static final ConnectionTimeouts TIMEOUTS = ConnectionTimeouts.defaults();
  private static final long IDLE = TIMEOUTS.idleNanos();
  private static final long ANSWER = TIMEOUTS.answerNanos();

  @Test
  void aSilentPeerIsAskedOnceAndThenGivenUp() {
    ClientRig rig = ClientRig.open();
    rig.protocol.tick(1);
    rig.protocol.tick(IDLE);
    assertThat(rig.output.takeSent()).isEmpty();
    rig.protocol.tick(IDLE + 1);
    rig.protocol.tick(IDLE + 2);
    List<Rig.Frame> sent = Rig.frames(rig.output.takeSent());
    assertThat(sent).extracting(Rig.Frame::type).containsExactly(FrameType.PING);
    rig.protocol.tick(IDLE + ANSWER);
    assertThat(rig.session.cause).isNull();
    rig.protocol.tick(IDLE + 1 + ANSWER);
    assertThat(rig.session.code()).isEqualTo(ErrorCode.TIMED_OUT);
    assertThat(rig.output.isAborted()).isTrue();
  }

  @Test
  void anyByteIsASignOfLife() {
    ClientRig rig = ClientRig.open();
    long now = 1;
    for (int i = 0; i < 10; i++) {
      rig.protocol.tick(now);
      now += IDLE + 1;
      rig.protocol.tick(now);
      rig.feed(Rig.bytes(Frames.number(Rig.buffer(), FrameType.PONG, 0, 5)));
      now += ANSWER - 1;
    }
    assertThat(rig.session.cause).isNull();
  }

  @Test
  void aSideThatOnlyListensShowsThatItLives() {
    ClientRig rig = ClientRig.open();
    int pings = 0;
    for (long now = 1; now <= 10 * IDLE; now += IDLE / 4) {
      rig.feed(Rig.bytes(Frames.number(Rig.buffer(), FrameType.PONG, 0, 5)));
      rig.protocol.tick(now);
      pings += Rig.frames(rig.output.takeSent()).size();
    }
    assertThat(pings).isBetween(8, 10);
  }

  @Test
  void aPingIsAnsweredWithItsValue() {
    Rig rig = Rig.open();
    rig.feed(Rig.bytes(Frames.number(Rig.buffer(), FrameType.PING, 0, -77)));
    Rig.Frame pong = Rig.frames(rig.output.takeSent()).get(0);
    assertThat(pong.type()).isEqualTo(FrameType.PONG);
    assertThat(pong.body().getLong(0)).isEqualTo(-77);
  }

  @Test
  void aHandshakeThatDragsOnIsEnded() {
    Rig rig = new Rig();
    rig.feed(Arrays.copyOf(Rig.preface(), 20));
    rig.protocol.tick(TIMEOUTS.handshakeNanos() - 1);
    assertThat(rig.protocol.isEnded()).isFalse();
    rig.protocol.tick(TIMEOUTS.handshakeNanos());
    assertThat(rig.error()).isEqualTo(ErrorCode.TIMED_OUT);
  }

  @Test
  void aFrameThatTricklesInIsEndedThoughBytesArrive() {
    Rig rig = Rig.open();
    rig.feed(Rig.bytes(Frames.open(Rig.buffer(), 1, Rig.SHUFFLE, 3)));
    rig.feed(Rig.header(FrameType.PUSH.code(), 1, 1, 1040));
    long step = TimeUnit.SECONDS.toNanos(1);
    long now = 0;
    while (now < TIMEOUTS.frameNanos()) {
      assertThat(rig.protocol.isEnded()).isFalse();
      rig.protocol.tick(now);
      rig.output.takeSent();
      // Only zero bytes of the header's magic would be wrong at once: send the true one.
      rig.feed(
          Arrays.copyOfRange(
              TestBlocks.block(1, 1, 1, 1000), (int) (now / step), (int) (now / step) + 1));
      now += step;
    }
    rig.protocol.tick(now);
    assertThat(rig.error()).isEqualTo(ErrorCode.TIMED_OUT);
  }

  @Test
  void manyFramesThatAreAlwaysCutAtATickAreFine() {
    Rig rig = Rig.open();
    byte[] want = Rig.bytes(Frames.number(Rig.buffer(), FrameType.WANT, 0, 1));
    rig.feed(Arrays.copyOf(want, 9));
    for (long now = 0; now < 3 * TIMEOUTS.frameNanos(); now += TimeUnit.SECONDS.toNanos(1)) {
      rig.protocol.tick(now);
      rig.output.takeSent();
      rig.feed(Arrays.copyOfRange(want, 9, want.length));
      rig.feed(Arrays.copyOf(want, 9));
    }
    assertThat(rig.protocol.isEnded()).isFalse();
  }

  @Test
  void aPeerThatDoesNotEndAfterAnErrorIsCutOff() {
    Rig rig = Rig.open();
    rig.feed(new byte[16]);
    assertThat(rig.protocol.isEnded()).isTrue();
    rig.protocol.tick(100);
    assertThat(rig.output.isAborted()).isFalse();
    rig.protocol.tick(100 + TIMEOUTS.closeNanos());
    assertThat(rig.output.isAborted()).isTrue();
  }

  @Test
  void anOrderlyCloseWaitsForTheServerButNotForever() {
    ClientRig rig = ClientRig.open();
    rig.session.link().close();
    rig.output.runTasks();
    List<Rig.Frame> sent = Rig.frames(rig.output.takeSent());
    assertThat(sent).extracting(Rig.Frame::type).containsExactly(FrameType.GOAWAY);
    rig.protocol.tick(100);
    assertThat(rig.session.cause).isNull();
    rig.protocol.tick(100 + TIMEOUTS.closeNanos());
    assertThat(rig.session.code()).isEqualTo(ErrorCode.TIMED_OUT);
  }

  /** It says that it lives, and asks for answers, which it takes as little as the rest. */
  @Test
  void aPeerThatTakesNothingIsCutOff() {
    Rig rig = Rig.open();
    long step = TimeUnit.SECONDS.toNanos(1);
    long now = 0;
    rig.feed(ping(now));
    for (; now < TIMEOUTS.takeNanos(); now += step) {
      rig.protocol.tick(now);
      assertThat(rig.protocol.isEnded()).isFalse();
      rig.feed(ping(now));
    }
    rig.protocol.tick(now);
    assertThat(rig.protocol.isEnded()).isTrue();
    assertThat(rig.output.isAborted()).isTrue();
  }

  @Test
  void aPeerThatTakesALittleNowAndThenIsSlow() {
    Rig rig = Rig.open();
    for (long now = 0; now < 10 * TIMEOUTS.takeNanos(); now += TIMEOUTS.takeNanos() - 1) {
      rig.feed(ping(now));
      rig.feed(ping(now));
      rig.protocol.tick(now);
      rig.output.transmit(1);
      rig.protocol.tick(now + 1);
    }
    assertThat(rig.protocol.isEnded()).isFalse();
  }

  @Test
  void timeInWhichNothingWaitsDoesNotCount() {
    Rig rig = Rig.open();
    rig.feed(ping(0));
    rig.protocol.tick(0);
    rig.output.takeSent();
    for (long now = 1; now < 3 * TIMEOUTS.takeNanos(); now += TIMEOUTS.takeNanos() / 5) {
      rig.protocol.tick(now);
      rig.output.takeSent();
      rig.feed(Rig.bytes(Frames.number(Rig.buffer(), FrameType.PONG, 0, 5)));
    }
    long later = 3 * TIMEOUTS.takeNanos();
    rig.feed(ping(later));
    rig.protocol.tick(later);
    rig.feed(ping(later));
    rig.protocol.tick(later + TIMEOUTS.takeNanos() - 1);
    assertThat(rig.protocol.isEnded()).isFalse();
  }

  private static byte[] ping(long value) {
    return Rig.bytes(Frames.number(Rig.buffer(), FrameType.PING, 0, value));
  }
}
