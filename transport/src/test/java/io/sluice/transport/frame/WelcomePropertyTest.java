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
import net.jqwik.api.constraints.LongRange;

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

  private static ByteBuffer body(ServerIdentity server) {
    ByteBuf frame = new Welcome(1, server, 4096, 1, 2, 3).encode(Unpooled.buffer());
    ByteBuffer body = ByteBuffer.allocate(frame.readableBytes() - FrameHeader.LENGTH);
    frame.getBytes(FrameHeader.LENGTH, body);
    return body.flip();
  }
}
