package io.sluice.transport.frame;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.ErrorCode;
import io.sluice.common.error.SluiceException;
import io.sluice.common.id.ServerId;
import io.sluice.transport.ServerIdentity;
import java.nio.ByteBuffer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

final class WelcomePropertyTest {
  private static final int INTACT_SINCE = 24;

  @Property(tries = 200)
  void saysWhichLivesAreKept(
      @ForAll @LongRange(min = 0) long incarnation,
      @ForAll @LongRange(min = 0) long any,
      @ForAll long asked) {
    long intactSince = Math.min(any, incarnation);
    ServerIdentity server = new ServerIdentity(ServerId.of(1, 2), incarnation, intactSince);

    ServerIdentity decoded = Welcome.decode(1, body(server), 0, 54).server();

    assertThat(decoded.id()).isEqualTo(server.id());
    assertThat(decoded.incarnation()).isEqualTo(incarnation);
    assertThat(decoded.intactSince()).isEqualTo(intactSince);
    assertThat(decoded.keeps(asked)).isEqualTo(asked >= intactSince && asked <= incarnation);
  }

  @Property(tries = 200)
  void refusesALifeThatIsIntactSinceAfterItself(
      @ForAll @LongRange(min = 0, max = Long.MAX_VALUE - 1) long incarnation, @ForAll long any) {
    long wrong = any >= 0 && any <= incarnation ? incarnation + 1 : any;
    ByteBuffer body = body(new ServerIdentity(ServerId.of(1, 2), incarnation));
    body.putLong(INTACT_SINCE, wrong);

    assertThatThrownBy(() -> Welcome.decode(1, body, 0, 54))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.MALFORMED_FRAME));
  }

  @Property(tries = 50)
  void saysFromVersion3OnWhetherAMajorityIsEnough(
      @ForAll @IntRange(min = 1, max = 4) int version,
      @ForAll boolean majority,
      @ForAll @Size(max = Welcome.MAX_PROOF_BYTES) byte[] proof) {
    ServerIdentity life = new ServerIdentity(ServerId.of(1, 2), 7);
    ServerIdentity server = majority ? life.withMajorityEnough() : life;
    ByteBuffer body = body(new Welcome(version, server, 4096, 1, 2, 3, proof));

    Welcome decoded = Welcome.decode(version, body, 0, body.limit());

    assertThat(decoded.proof()).isEqualTo(proof);
    assertThat(decoded.server().majorityEnough()).isEqualTo(majority && version >= 3);
    // As servers said it that were built before it was there.
    Welcome without = Welcome.decode(version, body, 0, 54 + proof.length);
    assertThat(without.server().majorityEnough()).isFalse();
    assertThat(without.proof()).isEqualTo(proof);
  }

  private static ByteBuffer body(ServerIdentity server) {
    return body(new Welcome(1, server, 4096, 1, 2, 3));
  }

  private static ByteBuffer body(Welcome welcome) {
    ByteBuf frame = welcome.encode(Unpooled.buffer());
    ByteBuffer body = ByteBuffer.allocate(frame.readableBytes() - FrameHeader.LENGTH);
    frame.getBytes(FrameHeader.LENGTH, body);
    return body.flip();
  }
}
