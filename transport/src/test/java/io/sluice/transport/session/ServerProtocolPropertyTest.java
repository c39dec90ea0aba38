package io.sluice.transport.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.error.ErrorCode;
import io.sluice.transport.TransportLimits;
import io.sluice.transport.frame.FrameHeader;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.statistics.Statistics;

/** What a server makes of its client's bytes, good and bad. */
final class ServerProtocolPropertyTest {
  @Property(tries = 200)
  void decodingDoesNotDependOnWhereBytesAreCut(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 60) int frames,
      @ForAll @Size(min = 1, max = 40) List<@IntRange(min = 1, max = 3000) Integer> cuts) {
    byte[] bytes = Rig.join(Rig.preface(), ClientBytes.generate(seed, frames));
    Rig whole = new Rig();
    whole.feed(bytes);
    Rig cut = new Rig();
    feedInPieces(cut, bytes, cuts);

    assertThat(whole.protocol.isEnded()).isFalse();
    assertThat(cut.session.events).isEqualTo(whole.session.events);
    assertThat(cut.output.takeSent()).isEqualTo(whole.output.takeSent());
    end(whole);
    end(cut);
  }

  @Property(tries = 100)
  void decodingByteByByteIsTheSame(@ForAll long seed) {
    byte[] bytes = Rig.join(Rig.preface(), ClientBytes.generate(seed, 10));
    Rig whole = new Rig();
    whole.feed(bytes);
    Rig cut = new Rig();
    feedInPieces(cut, bytes, List.of(1));
    assertThat(cut.session.events).isEqualTo(whole.session.events);
    end(whole);
    end(cut);
  }

  @Property(tries = 200)
  void randomBytesEndInANamedError(@ForAll byte[] bytes, @ForAll boolean afterHandshake) {
    Rig rig = afterHandshake ? Rig.open() : new Rig();
    rig.feed(bytes);
    endOfHostile(rig);
  }

  @Property(tries = 2000)
  void damagedBytesEndInANamedErrorOrAreTaken(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 20) int frames,
      @ForAll @Size(min = 1, max = 10) List<@IntRange(min = 1, max = 3000) Integer> cuts) {
    Random random = new Random(seed);
    byte[] bytes = Rig.join(Rig.preface(), ClientBytes.generate(seed, frames));
    int damages = 1 + random.nextInt(3);
    for (int i = 0; i < damages; i++) {
      bytes = Damage.to(bytes, random);
    }
    Rig rig = new Rig();
    feedInPieces(rig, bytes, cuts);
    endOfHostile(rig);
  }

  private static void feedInPieces(Rig rig, byte[] bytes, List<Integer> cuts) {
    int position = 0;
    for (int i = 0; position < bytes.length; i++) {
      int length = Math.min(cuts.get(i % cuts.size()), bytes.length - position);
      rig.feed(bytes, position, length);
      position += length;
    }
  }

  private static void endOfHostile(Rig rig) {
    assertThat(rig.output.counting().largest())
        .isLessThanOrEqualTo(TransportLimits.MAX_CONTROL_BYTES + FrameHeader.LENGTH);
    ErrorCode error = rig.error();
    Statistics.collect(error == null ? "taken" : "refused");
    Statistics.coverage(seen -> seen.check("refused").percentage(share -> share > 20));
    assertThat(error).isNotEqualTo(ErrorCode.INTERNAL_ERROR);
    if (rig.protocol.isEnded()) {
      assertThat(rig.output.isClosed()).isTrue();
    } else {
      assertThat(error).isNull();
    }
    end(rig);
  }

  private static void end(Rig rig) {
    rig.protocol.disconnected(null);
    rig.output.abort();
    assertThat(rig.session.closed).isEqualTo(rig.link == null ? 0 : 1);
    assertThat(rig.output.counting().bytesHeld()).isZero();
  }
}
