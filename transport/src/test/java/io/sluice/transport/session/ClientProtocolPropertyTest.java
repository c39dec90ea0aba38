package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.ErrorCode;
import io.sluice.transport.FetchRequest;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.FrameHeader;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;

/** What a client makes of its server's bytes, good and bad. */
final class ClientProtocolPropertyTest {
  @Property(tries = 200)
  void decodingDoesNotDependOnWhereBytesAreCut(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 60) int frames,
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 1, max = 3000) Integer> cuts) {
    byte[] bytes = ServerBytes.generate(seed, frames);
    ClientRig whole = busy();
    whole.feed(bytes, List.of(bytes.length + 1));
    ClientRig cut = busy();
    cut.feed(bytes, cuts);

    assertThat(whole.protocol.isEnded()).isFalse();
    assertThat(cut.session.events).isEqualTo(whole.session.events);
    assertThat(cut.output.takeSent()).isEqualTo(whole.output.takeSent());
    end(whole);
    end(cut);
  }

  @Property(tries = 200)
  void randomBytesEndInANamedError(@ForAll byte[] bytes, @ForAll boolean afterHandshake) {
    ClientRig rig = afterHandshake ? busy() : new ClientRig(null);
    rig.feed(bytes, List.of(7));
    endOfHostile(rig);
  }

  @Property(tries = 2000)
  void damagedBytesEndInANamedErrorOrAreTaken(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 20) int frames,
      @ForAll @Size(min = 1, max = 10) List<@IntRange(min = 1, max = 3000) Integer> cuts) {
    Random random = new Random(seed);
    byte[] bytes = Rig.join(ServerBytes.welcome(), ServerBytes.generate(seed, frames));
    int damages = 1 + random.nextInt(3);
    for (int i = 0; i < damages; i++) {
      bytes = Damage.to(bytes, random);
    }
    ClientRig rig = new ClientRig(null);
    rig.feed(bytes, cuts);
    endOfHostile(rig);
  }

  /** A client with blocks out and streams open. */
  private static ClientRig busy() {
    ClientRig rig = new ClientRig(null);
    rig.feed(ServerBytes.welcome(), List.of(1000));
    rig.session.link().open(1, Rig.SHUFFLE, 3);
    ByteBuf block = Unpooled.wrappedBuffer(new byte[40]);
    rig.session.link().push(1, ServerBytes.BLOCKS, block);
    block.release();
    for (int i = 0; i < ServerBytes.STREAMS; i++) {
      rig.session.link().fetch(new FetchRequest(i, 1, 0, 9, 0, 9, ServerBytes.CREDIT));
    }
    rig.output.takeSent();
    return rig;
  }

  private static void endOfHostile(ClientRig rig) {
    assertThat(rig.output.counting().largest())
        .isLessThanOrEqualTo(TransportLimits.MAX_CONTROL_BYTES + FrameHeader.LENGTH);
    Statistics.collect(rig.protocol.isEnded() ? "refused" : "taken");
    Statistics.coverage(seen -> seen.check("refused").percentage(share -> share > 20));
    if (rig.protocol.isEnded()) {
      assertThat(rig.output.isClosed()).isTrue();
      assertThat(rig.session.cause).isNotNull();
      // A damaged ERROR frame of the server may name anything; it is not answered.
      assertThat(rig.output.isAborted() || rig.session.code() != ErrorCode.INTERNAL_ERROR).isTrue();
    }
    end(rig);
  }

  private static void end(ClientRig rig) {
    rig.protocol.disconnected(null);
    rig.output.abort();
    assertThat(rig.session.closed).isEqualTo(1);
    assertThat(rig.output.counting().bytesHeld()).isZero();
  }
}
